#include "launch/readers/python_cluster_spec.h"

#include <doctest/doctest.h>

#include <string>

#include "launch/readers/python_error.h"

namespace lockstep {
namespace {

PythonClusterSpec spec(std::string_view text) { return PythonClusterSpec(parse_json(text, JsonMode::tolerant)); }

// "TYPE: message" of what act() throws.
template <class Act>
std::string raised(Act act) {
  try {
    act();
  } catch (const PythonError& error) {
    return error.type() + ": " + error.message();
  }
  return "";
}

std::string refusal(std::string_view text) {
  return raised([&] { spec(text); });
}

}  // namespace

TEST_CASE("ClusterSpec: lists, and maps without gaps, are lists") {
  const PythonClusterSpec cluster = spec(R"({"worker": ["a:1", "b:1"], "ps": {"1": "d:1", "0": "c:1"}, "x": []})");
  CHECK(cluster.as_dict().text() == R"({"worker":["a:1","b:1"],"ps":["c:1","d:1"],"x":{}})");
  CHECK(cluster.repr() == "ClusterSpec({'ps': ['c:1', 'd:1'], 'worker': ['a:1', 'b:1'], 'x': {}})");
  CHECK(cluster.jobs() == std::vector<std::string>{"worker", "ps", "x"});
  CHECK(cluster.num_tasks("x") == 0);
  CHECK(cluster.num_tasks("y") == 0);
  CHECK_FALSE(cluster.empty());
  CHECK(spec("{}").empty());
  CHECK(spec("{}").repr() == "ClusterSpec({})");
}

TEST_CASE("ClusterSpec: a map with gaps stays one, and its list has None in them") {
  const PythonClusterSpec cluster = spec(R"({"worker": {" 3 ": "d:1", "1": "b:1", "01": "e:1"}})");
  CHECK(cluster.as_dict().text() == R"({"worker":{"1":"e:1","3":"d:1"}})");
  CHECK(cluster.repr() == "ClusterSpec({'worker': {1: 'e:1', 3: 'd:1'}})");
  CHECK(cluster.num_tasks("worker") == 2);
  CHECK(cluster.list_length("worker") == 4);
  CHECK(cluster.listed("worker", 0) == nullptr);
  CHECK(*cluster.listed("worker", 3) == "d:1");
}

TEST_CASE("ClusterSpec: an index below zero counts from the end, once the job is a list") {
  const PythonClusterSpec cluster = spec(R"({"w": {"-1": "a:1", "0": "b:1", "2": "c:1"}})");
  CHECK(cluster.as_dict().text() == R"({"w":["b:1",null,"c:1"]})");
  CHECK(spec(R"({"w": {"2": "c:1", "0": "b:1", "-1": "a:1"}})").as_dict().text() == R"({"w":["b:1",null,"a:1"]})");
  CHECK(spec(R"({"w": {"-1": "a:1"}})").as_dict().text() == R"({"w":{"-1":"a:1"}})");
  CHECK(raised([] { spec(R"({"w": {"-1": "a:1"}})").list_length("w"); }) ==
        "IndexError: list assignment index out of range");
  CHECK(raised([] { spec(R"({"w": {"-5": "a:1", "0": "b:1", "2": "c:1"}})").as_dict(); }) ==
        "IndexError: list assignment index out of range");
}

TEST_CASE("ClusterSpec: a great index costs no memory") {
  const PythonClusterSpec cluster = spec(R"({"w": {"2147483647": "a:1"}})");
  CHECK(cluster.list_length("w") == 2147483648);
  CHECK(cluster.listed("w", 5) == nullptr);
}

TEST_CASE("ClusterSpec: what is asked for and not there") {
  const PythonClusterSpec cluster = spec(R"({"worker": {"1": "b:1"}, "ps": []})");
  CHECK(cluster.task_address("worker", 1) == "b:1");
  CHECK(raised([&] { cluster.task_address("worker", 0); }) == "ValueError: No task with index 0 in job 'worker'");
  CHECK(raised([&] { cluster.task_address("worker", Json()); }) ==
        "ValueError: No task with index None in job 'worker'");
  CHECK(raised([&] { cluster.task_address("it's", 0); }) == "ValueError: No such job in cluster: \"it's\"");
  CHECK(raised([&] { cluster.task_address(Json(), 0); }) == "ValueError: No such job in cluster: None");
  CHECK(raised([&] { cluster.list_length("x"); }) == "ValueError: No such job in cluster: 'x'");
  CHECK(raised([&] { cluster.list_length("ps"); }) == "ValueError: max() arg is an empty sequence");
}

TEST_CASE("ClusterSpec: what it refuses") {
  for (const char* text : {"null", "[]", "\"a:1\"", "1"}) {
    CHECK(
        refusal(text).starts_with("TypeError: `cluster` must be a dictionary mapping one or more job names to lists"));
  }
  for (const char* text : {R"({"w": "a:1"})", R"({"w": null})", R"({"w": 1})"}) {
    CHECK(refusal(text) == "TypeError: The tasks for job 'w' must be a list or a dictionary from integers to strings.");
  }
  CHECK(refusal(R"({"w": {"a": "x"}})") == "ValueError: invalid literal for int() with base 10: 'a'");
  CHECK(refusal(R"({"w": ["a:1", 5.0]})") == "TypeError: Task address 5.0 must be bytes or unicode");
  CHECK(refusal(R"({"w": [null], "a": [["x"]]})") == "TypeError: Task address ['x'] must be bytes or unicode");
  CHECK(refusal(R"({"w": [null], "x": 1})").starts_with("TypeError: The tasks for job 'x' "));
  CHECK(refusal(R"({"w": {"2147483648": "a"}})") == "ValueError: Value out of range: 2147483648");
  CHECK(refusal(R"({"w": {"99999999999999999999": "a"}})") == "ValueError: Value out of range: 99999999999999999999");
}

}  // namespace lockstep

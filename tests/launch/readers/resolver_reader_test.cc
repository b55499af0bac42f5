#include "launch/readers/resolver_reader.h"

#include <doctest/doctest.h>

#include <string>

namespace lockstep {
namespace {

Json read(const std::optional<std::string>& tf_config, const ResolverArguments& arguments = {}) {
  return read_as_resolver(tf_config, arguments).fields;
}

std::string text(const std::optional<std::string>& tf_config, std::string_view name,
                 const ResolverArguments& arguments = {}) {
  return read(tf_config, arguments).find(name)->text();
}

// "TYPE: message" of a value that raises.
std::string raised(const std::string& tf_config, std::string_view name) {
  const Json fields = read(tf_config);
  const Json* const error = fields.find(name)->find("error");
  REQUIRE(error != nullptr);
  return *error->find("type")->as<std::string>() + ": " + *error->find("message")->as<std::string>();
}

std::string refusal(const std::optional<std::string>& tf_config) {
  const auto reading = read_as_resolver(tf_config);
  return reading.refusal ? reading.refusal->type() + ": " + reading.refusal->message() : "";
}

std::string task(const std::string& cluster, const std::string& type, const std::string& index) {
  return R"({"cluster": )" + cluster + R"(, "task": {"type": )" + type + R"(, "index": )" + index + "}}";
}

constexpr const char* kWorkers = R"({"worker": ["a:1", "b:1"]})";

}  // namespace

TEST_CASE("resolver: a document that is a list is an empty one, other values raise, an unset one is empty") {
  CHECK(read("[]").text() == read("{}").text());
  CHECK(read({}).text() == read("{}").text());
  CHECK(refusal("null") == "TypeError: argument of type 'NoneType' is not iterable");
  CHECK(refusal("") == "JSONDecodeError: Expecting value: line 1 column 1 (char 0)");
  CHECK(raised("", "leader").starts_with("JSONDecodeError: "));
  CHECK(raised("{\"task\": \"\xff\"}", "role").find("\\xff") != std::string::npos);  // fit to be written as JSON
  CHECK(text("", "role", {.task_type = "worker"}) == "\"worker\"");
}

TEST_CASE("resolver: types become texts, indices integers") {
  CHECK(text(task(kWorkers, "null", "0"), "role") == "\"None\"");
  CHECK(text(task(kWorkers, "5", "0"), "role") == "\"5\"");
  CHECK(text(task(kWorkers, "\"worker\"", "\"1\""), "task_id") == "1");
  CHECK(text(task(kWorkers, "\"worker\"", "1.7"), "task_id") == "1");
  CHECK(raised(task(kWorkers, "\"worker\"", "null"), "task_id").starts_with("TypeError: int() argument must be"));
  CHECK(text(task(kWorkers, "\"worker\"", "null"), "num_workers") == "2");
  CHECK(refusal(task(kWorkers, "5", "0")) ==
        "ValueError: Unrecognized task_type: 5, valid task types are: ('chief', 'worker', 'evaluator', 'ps', None)");
  CHECK(refusal(R"({"task": ["type"]})") == "TypeError: list indices must be integers or slices, not str");
}

TEST_CASE("resolver: its checks, in their order") {
  CHECK(refusal(R"({"cluster": {"chief": ["a:1", "b:1"]}, "task": {"type": "worker", "index": 0}})") ==
        "ValueError: `task_type` 'worker' not found in cluster_spec.");
  CHECK(refusal(task(R"({"chief": ["a:1", "b:1"], "evaluator": ["c:1", "d:1"]})", "\"chief\"", "9")) ==
        "ValueError: There must be at most one 'chief' job.");
  CHECK(refusal(task(R"({"evaluator": ["c:1", "d:1"]})", "\"evaluator\"", "0")) ==
        "ValueError: There must be at most one 'evaluator' job.");
  CHECK(refusal(R"({"cluster": {"worker": ["a:1"]}, "task": {"type": "worker"}})") ==
        "TypeError: '>=' not supported between instances of 'NoneType' and 'int'");
  CHECK(refusal(task(kWorkers, "\"worker\"", "99999999999999999999")) ==
        "ValueError: The `task_id` 99999999999999999999 exceeds the maximum id of worker.");
  CHECK(refusal(R"({"cluster": {"Worker": ["a:1"]}})").starts_with("ValueError: Disallowed task type found"));
  CHECK(refusal(R"({"cluster": null, "task": {"index": "x"}})").starts_with("TypeError: `cluster` must be"));
}

TEST_CASE("resolver: chief, counts, ids and leader") {
  CHECK(text(task(kWorkers, "\"worker\"", "0"), "is_chief") == "true");
  CHECK(text(task(R"({"chief": ["c:1"], "worker": ["a:1"]})", "\"worker\"", "0"), "is_chief") == "false");
  CHECK(text(task(R"({"chief": ["c:1"], "worker": ["a:1"]})", "\"worker\"", "0"), "id_in_cluster") == "1");
  CHECK(text(task(R"({"chief": ["c:1"], "worker": ["a:1"]})", "\"worker\"", "-99999999999999999999"),
             "id_in_cluster") == "-99999999999999999998");
  CHECK(text(task(kWorkers, "\"evaluator\"", "5"), "id_in_cluster") == "5");
  CHECK(raised(task(R"({"ps": ["p:1"]})", "\"ps\"", "0"), "leader") == "AssertionError: ");
  // A sparse job counts its tasks, not its indices.
  const std::string sparse = task(R"({"worker": {"0": "a:1", "5": "b:1"}})", "\"worker\"", "5");
  CHECK(refusal(sparse) == "ValueError: The `task_id` 5 exceeds the maximum id of worker.");
  CHECK(text(sparse, "master") == "\"b:1\"");
  CHECK(text(sparse, "num_workers") == "2");
}

TEST_CASE("resolver: the session's address") {
  const std::string tail = R"("cluster": {"worker": ["a:1", "b:1"]}, "task": {"type": "worker", "index": 1}})";
  CHECK(text("{\"rpc_layer\": \"\", " + tail, "master") == "\"b:1\"");
  CHECK(text("{\"rpc_layer\": 5, " + tail, "master") == "\"5://b:1\"");
  CHECK(text("{\"session_master\": null, " + tail, "master") == "\"b:1\"");
  CHECK(text("{\"session_master\": \"\", " + tail, "master") == "\"\"");
  CHECK(raised(R"({"cluster": {"worker": []}})", "master") == "ValueError: max() arg is an empty sequence");
  CHECK(raised(R"({"cluster": {"worker": ["a:1", "b:1"]}})", "master") == "ValueError: No such job in cluster: None");
  CHECK(text("{" + tail, "master", {.master_task_id = 0, .master_rpc_layer = "x"}) == "\"x://a:1\"");
}

}  // namespace lockstep

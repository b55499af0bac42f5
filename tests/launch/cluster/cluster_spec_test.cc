#include "launch/cluster/cluster_spec.h"

#include <doctest/doctest.h>

#include <string>

namespace lockstep {
namespace {

ClusterSpec spec(const std::string& text) {
  const Json json = parse_json(text);
  return read_cluster_spec(JsonPlace(json, "cluster"));
}

std::string refusal(const std::string& text) {
  try {
    spec(text);
  } catch (const JsonError& error) {
    return error.what();
  }
  return "taken";
}

}  // namespace

TEST_CASE("cluster: lists and sparse maps") {
  const ClusterSpec cluster = spec(R"({"worker": {"2": "c:1", " 0 ": "a:1"}, "ps": ["p:1"], "chief": []})");
  REQUIRE(cluster.jobs.size() == 3);
  CHECK(cluster.jobs[0].name == "worker");  // in the order of the text
  CHECK(cluster.tasks() == 3);
  CHECK(cluster.tasks_of("worker") == 2);
  CHECK(cluster.tasks_of("chief") == 0);
  CHECK(cluster.tasks_of("evaluator") == 0);
  CHECK(cluster.find("chief") != nullptr);
  CHECK(cluster.find("evaluator") == nullptr);
  REQUIRE(cluster.address({"worker", 2}) != nullptr);
  CHECK(*cluster.address({"worker", 2}) == "c:1");
  CHECK(cluster.address({"worker", 1}) == nullptr);
  CHECK(cluster.address({"evaluator", 0}) == nullptr);
  CHECK_FALSE(cluster.jobs[0].is_dense());
  CHECK(cluster.jobs[1].is_dense());
  CHECK(describe(TaskName{"worker", 3}) == "worker 3");
}

TEST_CASE("cluster: a map of 0 to n-1 is a list") {
  const ClusterSpec cluster = spec(R"({"worker": {"1": "b:1", "0": "a:1"}, "ps": {"3": "p:1"}, "chief": []})");
  CHECK(to_json(cluster).text() == R"({"worker":["a:1","b:1"],"ps":{"3":"p:1"},"chief":[]})");
  CHECK(spec(to_json(cluster).text()) == cluster);
}

TEST_CASE("cluster: what is refused says where, what was found and what is expected") {
  CHECK(refusal("[]") ==
        "cluster: expected the cluster's jobs, {\"chief\": [\"host:port\"], \"worker\": [...]}, found []");
  CHECK(refusal("null").starts_with("cluster: expected the cluster's jobs"));
  CHECK(refusal(R"({"worker": ["a:1", "b:1", 5]})") ==
        "cluster.worker[2]: expected an address, \"host:port\", found 5");
  CHECK(refusal(R"({"worker": [null]})").starts_with("cluster.worker[0]: expected an address"));
  CHECK(refusal(R"({"chief": "a:1"})").starts_with("cluster.chief: expected the addresses of the job's tasks"));
  CHECK(refusal(R"({"worker": {"a": "w:1"}})") ==
        "cluster.worker.a: 'a' is no index of a task; expected a whole number from 0 to 2147483647");
  CHECK(refusal(R"({"worker": {"-1": "w:1"}})").starts_with("cluster.worker.-1: '-1' is no index"));
  CHECK(refusal(R"({"worker": {"2147483648": "w:1"}})").starts_with("cluster.worker.2147483648: "));
  CHECK(refusal(R"({"worker": {"1": "w:1", "01": "v:1"}})") ==
        "cluster.worker.01: task 1 of the job stands there twice; keep one");
  CHECK(refusal(R"({"worker": {"0": ["w:1"]}})").starts_with("cluster.worker.0: expected an address"));
  CHECK(refusal(R"({"a b\n": 1})").starts_with("cluster[\"a b\\n\"]: "));
}

}  // namespace lockstep

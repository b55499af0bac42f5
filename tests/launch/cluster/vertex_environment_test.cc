#include "launch/cluster/vertex_environment.h"

#include <doctest/doctest.h>

#include <string>

#include "support/check_error.h"
#include "support/fake_environment.h"

namespace lockstep {

TEST_CASE("Vertex AI: the worker pools of CLUSTER_SPEC are the jobs of a cluster") {
  const auto read = read_vertex_environment(fake_environment(
      {{"CLUSTER_SPEC",
        R"({"cluster": {"workerpool0": ["p0:2222"], "workerpool1": ["p1-0:2222", "p1-1:2222"], "workerpool2": ["p2:2222"],)"
        R"( "workerpool3": ["p3:2222"]}, "environment": "cloud", "task": {"type": "workerpool1", "index": 1, "trial": "7"},)"
        R"( "job": "{}"})"}}));
  REQUIRE(read.has_value());
  CHECK(read->source == "CLUSTER_SPEC");
  CHECK(to_json(read->config.cluster).text() ==
        R"({"chief":["p0:2222"],"worker":["p1-0:2222","p1-1:2222"],"ps":["p2:2222"],"evaluator":["p3:2222"]})");
  CHECK(read->config.task == TaskName{"worker", 1});
  CHECK(read->config.environment == "cloud");
  CHECK(read->config.warnings.empty());
}

TEST_CASE("Vertex AI: CLUSTER_SPEC beside TF_CONFIG, of other programs, and broken") {
  const std::string spec = R"({"cluster": {"workerpool0": ["a:1"]}, "task": {"type": "workerpool0", "index": 0}})";
  const auto read = [](std::map<std::string, std::string> variables) {
    return read_vertex_environment(fake_environment(std::move(variables)));
  };
  CHECK(read({{"CLUSTER_SPEC", spec}})->config.task == TaskName{"chief", 0});
  CHECK(read({{"CLUSTER_SPEC", spec}, {"TF_CONFIG", ""}}).has_value());
  CHECK_FALSE(read({{"CLUSTER_SPEC", spec}, {"TF_CONFIG", "{}"}}).has_value());
  CHECK_FALSE(read({}).has_value());
  CHECK_FALSE(read({{"CLUSTER_SPEC", R"({"worker": ["a:1"]})"}}).has_value());
  check_error(ExitCode::configuration, {"CLUSTER_SPEC: it is not JSON"}, [&] {
    read({{"CLUSTER_SPEC", spec.substr(0, 40)}});
  });
  check_error(ExitCode::configuration, {"CLUSTER_SPEC: task.index: 3 is no task"}, [&] {
    read({{"CLUSTER_SPEC", R"({"cluster": {"workerpool0": ["a:1"]}, "task": {"type": "workerpool0", "index": 3}})"}});
  });
}

}  // namespace lockstep

#include "launch/cluster/gradient_environment.h"

#include <doctest/doctest.h>

#include "support/check_error.h"
#include "support/fake_environment.h"

namespace lockstep {
namespace {

// {"cluster": {"master": ["localhost:5000"], "worker": ["localhost:5000", "localhost:5001"], "ps": ["localhost:5002"]},
//  "task": {"type": "master", "index": 0}, "environment": "cloud"}
constexpr const char* kConfig =
    "eyJjbHVzdGVyIjogeyJtYXN0ZXIiOiBbImxvY2FsaG9zdDo1MDAwIl0sICJ3b3JrZXIiOiBbImxvY2FsaG9zdDo1MDAwIiwgImxvY2FsaG9zdDo1"
    "MDAxIl0sICJwcyI6IFsibG9jYWxob3N0OjUwMDIiXX0sICJ0YXNrIjogeyJ0eXBlIjogIm1hc3RlciIsICJpbmRleCI6IDB9LCAiZW52aXJvbm1l"
    "bnQiOiAiY2xvdWQifQ==";

}  // namespace

TEST_CASE("Gradient: PS_CONFIG is a TF_CONFIG in base64") {
  const auto gradient = read_gradient_environment(
      fake_environment({{"PS_CONFIG", kConfig}, {"PS_MODEL_PATH", "/storage/models"}, {"TYPE", ""}}));
  CHECK(gradient.model_path == "/storage/models");
  REQUIRE(gradient.clusters.size() == 1);
  CHECK(gradient.clusters[0].source == "PS_CONFIG");
  CHECK(gradient.clusters[0].config.cluster.tasks() == 4);
  CHECK(gradient.clusters[0].config.task == TaskName{"master", 0});
  CHECK(gradient.clusters[0].config.environment == "cloud");
}

TEST_CASE("Gradient: the classic lists as variables") {
  const auto gradient = read_gradient_environment(
      fake_environment({{"PS_HOSTS", "p:1"}, {"WORKER_HOSTS", "a:1,b:1"}, {"TYPE", "worker"}, {"INDEX", "1"}}));
  CHECK(gradient.model_path.empty());
  REQUIRE(gradient.clusters.size() == 1);
  CHECK(gradient.clusters[0].source == "PS_HOSTS, WORKER_HOSTS, TYPE, INDEX");
  CHECK(gradient.clusters[0].config.task == TaskName{"worker", 1});
  // In Gradient a task has two names.
  const auto both =
      read_gradient_environment(fake_environment({{"PS_CONFIG", kConfig}, {"TYPE", "worker"}, {"INDEX", "0"}}));
  CHECK(agreed_description(both.clusters)->task == TaskName{"master", 0});
}

TEST_CASE("Gradient: TYPE and INDEX alone are somebody else's") {
  CHECK(read_gradient_environment(fake_environment({{"TYPE", "worker"}, {"INDEX", "x"}})).clusters.empty());
  CHECK(read_gradient_environment(fake_environment({})).clusters.empty());
}

TEST_CASE("Gradient: TYPE and INDEX beside TF_CONFIG are the task, unless they can be none") {
  const auto read = [](const std::string& type, const std::string& index) {
    return read_gradient_environment(fake_environment({{"TYPE", type}, {"INDEX", index}}), true).clusters;
  };
  const auto tf_config = [](const char* task) {
    return ClusterDescription{
        .source = "TF_CONFIG",
        .config = read_tf_config(std::string(R"({"cluster": {"worker": ["a:1", "b:1"]}, "task": )") + task + "}",
                                 "TF_CONFIG")};
  };
  const auto equal = read("worker", "1");
  REQUIRE(equal.size() == 1);
  CHECK(equal[0].source == "TYPE, INDEX");
  CHECK(agreed_description(std::vector{tf_config(R"({"type": "worker", "index": 1})"), equal[0]})->task ==
        TaskName{"worker", 1});
  CHECK(agreed_description(std::vector{tf_config("{}"), equal[0]})->task == TaskName{"worker", 1});
  check_error(ExitCode::configuration, {"this process is worker 0 by TF_CONFIG and worker 1 by TYPE, INDEX"}, [&] {
    agreed_description(std::vector{tf_config(R"({"type": "worker", "index": 0})"), equal[0]});
  });
  CHECK(read("server", "0").empty());
  CHECK(read("worker", "x").empty());
  CHECK(read("worker", "").empty());
  CHECK(read("", "1").empty());
}

TEST_CASE("Gradient: what is refused names the variable") {
  const auto refused = [](const std::map<std::string, std::string>& variables, const std::string& part) {
    check_error(ExitCode::configuration, {part}, [&] { read_gradient_environment(fake_environment(variables)); });
  };
  refused({{"PS_CONFIG", "{\"cluster\"}"}}, "PS_CONFIG={\"cluster\"}: it is not base64");
  refused({{"PS_CONFIG", "Zm9v"}}, "PS_CONFIG: it is not JSON");
  refused({{"WORKER_HOSTS", "a:1,"}}, "WORKER_HOSTS=a:1,: address 1 of the list is empty");
  refused({{"PS_HOSTS", "p:1"}, {"WORKER_HOSTS", "a:1"}, {"INDEX", "1"}}, "INDEX=1: says nothing without TYPE");
  refused({{"WORKER_HOSTS", "[\"a:1\"]"}}, "WORKER_HOSTS=[\"a:1\"]: this is JSON");
  refused({{"WORKER_HOSTS", "a:1"}, {"TYPE", "cheif"}}, "TYPE=cheif: expected chief, master");
}

}  // namespace lockstep

#include "launch/cluster/cluster_descriptions.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "support/check_error.h"

namespace lockstep {
namespace {

ClusterDescription from(const std::string& source, const std::string& cluster, std::optional<TaskName> task = {}) {
  const Json json = parse_json(cluster);
  ClusterDescription description{.source = source, .config = {}};
  description.config.cluster = read_cluster_spec(JsonPlace(json, "cluster"));
  description.config.task = std::move(task);
  return description;
}

void check_refused(const std::vector<ClusterDescription>& descriptions, std::initializer_list<std::string> parts) {
  check_error(ExitCode::configuration, parts, [&] { agreed_description(descriptions); });
}

const TaskName kFirst{"worker", 0};
const TaskName kSecond{"worker", 1};

}  // namespace

TEST_CASE("descriptions: none, one, and several that agree") {
  CHECK_FALSE(agreed_description({}).has_value());
  const auto workers = from("--worker_hosts", R"({"worker": ["a:1", "b:1"]})", kSecond);
  CHECK(agreed_description(std::vector{workers})->cluster == workers.config.cluster);
  // One description has the cluster, another the task; jobs that only one of them has are added.
  const auto agreed =
      agreed_description(std::vector{from("TF_CONFIG", R"({"chief": ["c:1"], "worker": ["a:1", "b:1"]})"), workers,
                                     from("TYPE, INDEX", "{}", kSecond)});
  REQUIRE(agreed.has_value());
  CHECK(to_json(agreed->cluster).text() == R"({"chief":["c:1"],"worker":["a:1","b:1"]})");
  CHECK(agreed->task == kSecond);
  // A sparse map may describe a part of a list.
  CHECK(agreed_description(std::vector{from("TF_CONFIG", R"({"worker": {"1": "b:1"}})"), workers})->cluster.tasks() ==
        2);
}

TEST_CASE("descriptions: two that contradict each other are both named") {
  const auto config = from("TF_CONFIG", R"({"worker": ["a:1", "b:1"]})", kFirst);
  check_refused({config, from("--worker_hosts", R"({"worker": ["a:1", "c:1"]})")},
                {"worker 1 is at 'b:1' by TF_CONFIG and at 'c:1' by --worker_hosts"});
  check_refused({config, from("--worker_hosts", R"({"worker": ["a:1"]})")},
                {"cluster.worker has 2 tasks by TF_CONFIG and 1 by --worker_hosts"});
  check_refused({config, from("TYPE, INDEX", "{}", kSecond)}, {"worker 0 by TF_CONFIG and worker 1 by TYPE, INDEX"});
}

TEST_CASE("descriptions: the task must be one of the cluster's, or an evaluator") {
  const char* workers = R"({"worker": ["a:1", "b:1"]})";
  check_refused({from("--job_name", workers, TaskName{"worker", 2})},
                {"--job_name: this process is worker 2, and the cluster has 2 tasks of that job"});
  check_refused({from("--job_name", workers, TaskName{"ps", 0})}, {"is ps 0, and the cluster has 0 tasks"});
  check_refused({from("TF_CONFIG", workers, TaskName{"wroker", 0})},
                {"is wroker 0, and the cluster has 0 tasks of that job (did you mean 'worker'?)"});
  CHECK(agreed_description(std::vector{from("TYPE", workers, TaskName{"evaluator", 0})})->task->job == "evaluator");
  CHECK(agreed_description(std::vector{from("TF_CONFIG", "{}", kFirst)})->task == kFirst);
}

TEST_CASE("descriptions: what the processes of a job say, together") {
  const ClusterSpec cluster = merged_cluster(std::vector{from("process 0", R"({"chief": ["c:1"], "ps": ["p:1"]})"),
                                                         from("process 1", R"({"worker": {"0": "a:1"}})"),
                                                         from("process 2", R"({"worker": {"1": "b:1"}})")});
  CHECK(to_json(cluster).text() == R"({"chief":["c:1"],"ps":["p:1"],"worker":["a:1","b:1"]})");
  check_error(ExitCode::configuration, {"worker 0 is at 'a:1' by process 0 and at 'b:1' by process 1"}, [] {
    merged_cluster(
        std::vector{from("process 0", R"({"worker": ["a:1"]})"), from("process 1", R"({"worker": ["b:1"]})")});
  });
}

}  // namespace lockstep

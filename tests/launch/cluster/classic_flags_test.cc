#include "launch/cluster/classic_flags.h"

#include <doctest/doctest.h>

#include "launch/cluster/cluster_plan.h"
#include "support/check_error.h"

namespace lockstep {
namespace {

std::optional<ClusterDescription> read(std::string ps_hosts, std::string worker_hosts, std::string job_name,
                                       std::string task_index) {
  ClassicCluster classic;
  classic.ps_hosts.value = std::move(ps_hosts);
  classic.worker_hosts.value = std::move(worker_hosts);
  classic.job_name.value = std::move(job_name);
  classic.task_index.value = std::move(task_index);
  return read_classic_cluster(classic);
}

}  // namespace

TEST_CASE("classic flags: two lists and a place in them") {
  const auto description = read("p:1", "a:1, b:1", "worker", "1");
  REQUIRE(description.has_value());
  CHECK(description->source == "--ps_hosts, --worker_hosts, --job_name, --task_index");
  CHECK(to_json(description->config.cluster).text() == R"({"worker":["a:1","b:1"],"ps":["p:1"]})");
  CHECK(description->config.task == TaskName{"worker", 1});
  CHECK(read("", "a:1", "worker", "")->config.task == TaskName{"worker", 0});
  CHECK_FALSE(read("", "a:1", "", "")->config.task.has_value());
  // Worker 0 is the chief, as in those programs.
  CHECK(plan_cluster(read("", "a:1,b:1", "", "")->config, {}).tasks[0].role == Role::chief);
}

TEST_CASE("classic flags: nothing given is no description") { CHECK_FALSE(read("", "", "", "").has_value()); }

TEST_CASE("classic flags: what is refused") {
  const auto refused = [](const std::string& part, const std::string& worker_hosts, const std::string& job,
                          const std::string& index) {
    check_error(ExitCode::configuration, {part}, [&] { read("", worker_hosts, job, index); });
  };
  refused("--worker_hosts=a:1,,b:1: address 1 of the list is empty", "a:1,,b:1", "", "");
  refused("--worker_hosts=a:1, : address 1 of the list is empty", "a:1, ", "", "");
  refused("--task_index=1: says nothing without --job_name", "a:1", "", "1");
  for (const char* index : {"-1", "1.0", "one", " 1", "99999999999999999999"}) {
    refused("expected the task's number within its job", "a:1", "worker", index);
  }
}

}  // namespace lockstep

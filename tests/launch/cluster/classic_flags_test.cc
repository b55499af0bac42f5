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
  // Worker 0 is the chief, as in the programs that use these flags.
  CHECK(plan_cluster(read("", "a:1,b:1", "", "")->config, {}).tasks[0].role == Role::chief);
}

TEST_CASE("classic flags: an index without a job is of the only list") {
  CHECK(read("", "a:1,b:1", "", "1")->config.task == TaskName{"worker", 1});
  CHECK(read("p:1", "", "", "0")->config.task == TaskName{"ps", 0});
  check_error(ExitCode::usage, {"--task_index=1: says nothing without --job_name; give both"},
              [] { read("p:1", "a:1,b:1", "", "1"); });
}

TEST_CASE("classic flags: nothing given is no description") { CHECK_FALSE(read("", "", "", "").has_value()); }

TEST_CASE("classic flags: what is refused") {
  const auto refused = [](const std::string& part, const std::string& worker_hosts, const std::string& job,
                          const std::string& index) {
    check_error(ExitCode::usage, {part}, [&] { read("", worker_hosts, job, index); });
  };
  refused("--worker_hosts=a:1,,b:1: address 1 of the list is empty", "a:1,,b:1", "", "");
  refused("--worker_hosts=a:1, : address 1 of the list is empty", "a:1, ", "", "");
  refused("--task_index=1: says nothing without --job_name", "", "", "1");
  refused("--job_name=workers: expected chief, master, worker, ps or evaluator (did you mean 'worker'?)", "a:1",
          "workers", "0");
  for (const char* index : {"-1", "1.0", "one", " 1", "99999999999999999999"}) {
    refused("expected the task's number within its job", "a:1", "worker", index);
  }
}

TEST_CASE("classic flags: what can be no address is refused with its place and what is expected") {
  const auto refused = [](const std::string& worker_hosts, std::initializer_list<std::string> parts) {
    CAPTURE(worker_hosts);
    check_error(ExitCode::usage, parts, [&] { read("", worker_hosts, "", ""); });
  };
  for (const char* json : {R"(["a:1"])", R"( ["a:1", "b:1"])", R"({"worker": ["a:1"]})", R"({"0": "a:1"})"}) {
    refused(json, {"this is JSON; expected host:port,host:port,..., without brackets and quotes", "TF_CONFIG"});
  }
  const std::string listed = "; expected host:port,host:port,...";
  refused("a:1,b c:1", {"address 1 of the list, 'b c:1', has ' ' in it" + listed});
  refused("a:1;b:1", {"address 0 of the list, 'a:1;b:1', has ';' in it" + listed});
  refused("'a:1'", {"has "});
  refused("[a:1,b:1]", {"address 0 of the list, '[a:1', has a '[' without its ']'" + listed});
  refused("[::1]b:1", {"has more than a port behind its ']'" + listed});
  refused("a:1,b:1]", {"address 1 of the list, 'b:1]', has a bracket"});
  for (const char* port : {"a:", "a:b", "a:-1", "a:65536", "a:1.0", "grpc://a:x", "[::1]:x"}) {
    refused(port, {"has no port up to 65535 behind its colon" + listed});
  }
}

TEST_CASE("classic flags: addresses as hosts are written are taken") {
  for (const char* address : {"a", "a:1", "n-1.cluster_2:65535", "10.0.0.1:2222", "grpc://a:1", "[::1]:2222", "[::1]",
                              "2001:db8::1", "[fe80::1%eth0]:1"}) {
    CAPTURE(address);
    CHECK(*read("", address, "", "")->config.cluster.address({"worker", 0}) == address);
  }
}

TEST_CASE("classic flags: an address that stands there twice is a warning") {
  CHECK(read("", "a:1,b:1", "", "")->config.warnings.empty());
  const auto twice = read("p:1", "a:1,p:1", "", "")->config.warnings;
  REQUIRE(twice.size() == 1);
  CHECK(twice[0] ==
        "--ps_hosts, --worker_hosts: cluster: worker 1 and ps 0 are both at 'p:1'; they count as separate tasks");
}

}  // namespace lockstep

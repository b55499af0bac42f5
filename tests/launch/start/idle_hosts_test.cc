#include "launch/start/idle_hosts.h"

#include <doctest/doctest.h>

#include <fstream>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "support/fake_environment.h"
#include "support/temporary_folder.h"

namespace lockstep {
namespace {

std::vector<ProcessFacts> on(const std::vector<std::string>& hosts) {
  std::vector<ProcessFacts> processes;
  for (const std::string& host : hosts) {
    processes.push_back({.host = host, .host_names = {host + ".cluster", "10.0.0." + host.substr(1)}});
  }
  return processes;
}

std::vector<std::string> hosts_by(std::map<std::string, std::string> variables) {
  return allocated_hosts(fake_environment(std::move(variables))).hosts;
}

}  // namespace

TEST_CASE("the hosts of a job: of Slurm's list and of Grid Engine's file") {
  using Hosts = std::vector<std::string>;
  CHECK(hosts_by({{"SLURM_JOB_NODELIST", "n[1-2],n9"}}) == Hosts{"n1", "n2", "n9"});
  CHECK(hosts_by({{"SLURM_JOB_NODELIST", "n[1-"}}).empty());
  // srun starts a task on each host of its step.
  CHECK(hosts_by({{"SLURM_JOB_NODELIST", "n[1-2]"}, {"SLURM_STEP_ID", "0"}, {"SLURM_STEP_NUM_TASKS", "2"}}).empty());
  CHECK(hosts_by({}).empty());

  const TemporaryFolder folder;
  const std::string path = folder / "pe_hostfile";
  std::ofstream(path)
      << "n1.cluster 2 all.q@n1 UNDEFINED\nn2.cluster 0 all.q@n2 UNDEFINED\nn3.cluster 1 all.q@n3 <NULL>\n"
      << "n1.cluster 1 long.q@n1 UNDEFINED\n";
  CHECK(hosts_by({{"PE_HOSTFILE", path}}) == Hosts{"n1.cluster", "n3.cluster"});
  CHECK(hosts_by({{"PE_HOSTFILE", path + ".gone"}}).empty());
}

TEST_CASE("hosts of a job without a rank are named, with the usual cause where all ranks are on one host") {
  const AllocatedHosts two{
      .scheduler = "Grid Engine", .component = "gridengine", .source = "PE_HOSTFILE", .hosts = {"n1.cluster", "n2"}};
  CHECK(describe_idle_hosts(two, on({"n1", "n1", "n2"})).empty());
  CHECK(
      describe_idle_hosts(two, on({"n1", "n1"})) ==
      "no rank runs on n2, which PE_HOSTFILE gives this job; all run on n1: an mpirun without support for Grid Engine "
      "starts all ranks on its own host (ompi_info | grep gridengine prints nothing then), and a program without "
      "mpirun is one rank");
  AllocatedHosts many = two;
  many.hosts = {"n1", "n2", "n3", "n4", "n5", "n6", "n7"};
  CHECK(describe_idle_hosts(many, on({"n1", "n2"})) ==
        "no rank runs on n3, n4, n5, n6 and 1 more, which PE_HOSTFILE gives this job");
}

TEST_CASE("hosts of a job under names that no process has say nothing") {
  CHECK(describe_idle_hosts({.source = "SLURM_JOB_NODELIST", .hosts = {"a", "b"}}, on({"n1"})).empty());
  CHECK(describe_idle_hosts({}, on({"n1"})).empty());
}

}  // namespace lockstep

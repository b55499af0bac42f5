#include "collective/mpi_environment.h"

#include <doctest/doctest.h>

#include <map>

namespace lockstep {
namespace {

Environment fake(const std::map<std::string, std::string>& variables) {
  return [variables](const char* name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    return found == variables.end() ? std::nullopt : std::optional(found->second);
  };
}

const Setting kYield{"OMPI_MCA_mpi_yield_when_idle", "1"};
const std::vector<Setting> kTransport = {
    {"OMPI_MCA_pml", "ob1"}, {"OMPI_MCA_btl", "tcp,vader,self"}, {"OMPI_MCA_osc", "sm,pt2pt"}};

}  // namespace

TEST_CASE("tasks per node, as Slurm writes them") {
  CHECK(tasks_on_node("4", 0) == 4);
  CHECK(tasks_on_node("2(x3),1", 0) == 2);
  CHECK(tasks_on_node("2(x3),1", 2) == 2);
  CHECK(tasks_on_node("2(x3),1", 3) == 1);
  CHECK(tasks_on_node("3,2(x2),16", 3) == 16);
  CHECK_FALSE(tasks_on_node("2(x3),1", 4).has_value());
  CHECK_FALSE(tasks_on_node("2", -1).has_value());
  for (const char* broken : {"", "x", "2(x", "2(xa)", "2(x0", ",2", "2;3"}) {
    CAPTURE(broken);
    CHECK_FALSE(tasks_on_node(broken, 1).has_value());
  }
}

TEST_CASE("mpirun's count of local ranks comes before Slurm's") {
  CHECK_FALSE(ranks_on_this_host(fake({})).has_value());
  CHECK(ranks_on_this_host(fake({{"OMPI_COMM_WORLD_LOCAL_SIZE", "3"}})) == 3);
  const std::map<std::string, std::string> step = {{"SLURM_STEP_TASKS_PER_NODE", "2,5"}, {"SLURM_NODEID", "1"}};
  CHECK(ranks_on_this_host(fake(step)) == 5);
  auto mpirun_in_slurm = step;
  mpirun_in_slurm.insert({"OMPI_COMM_WORLD_LOCAL_SIZE", "2"});
  CHECK(ranks_on_this_host(fake(mpirun_in_slurm)) == 2);
  // Of the job, not of a step: says nothing about this process.
  CHECK_FALSE(ranks_on_this_host(fake({{"SLURM_NTASKS", "8"}, {"SLURM_TASKS_PER_NODE", "8"}})).has_value());
}

TEST_CASE("the transport is set as a whole, or left to the user") {
  CHECK(mpi_settings(fake({}), 2) == kTransport);
  for (const char* name : {"OMPI_MCA_pml", "OMPI_MCA_btl", "OMPI_MCA_osc"}) {
    CHECK(mpi_settings(fake({{name, "ucx"}}), 2).empty());
  }
}

TEST_CASE("ranks that outnumber the cores yield") {
  auto expected = kTransport;
  CHECK(mpi_settings(fake({{"OMPI_COMM_WORLD_LOCAL_SIZE", "2"}}), 2) == expected);
  expected.push_back(kYield);
  CHECK(mpi_settings(fake({{"OMPI_COMM_WORLD_LOCAL_SIZE", "3"}}), 2) == expected);
  CHECK(mpi_settings(fake({{"OMPI_COMM_WORLD_LOCAL_SIZE", "3"}, {"OMPI_MCA_mpi_yield_when_idle", "0"}}), 2) ==
        kTransport);
}

}  // namespace lockstep

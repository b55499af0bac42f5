#include "collective/mpi/mpi_environment.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <map>
#include <span>
#include <utility>

#include "support/fake_environment.h"
#include "support/temporary_folder.h"

namespace lockstep {
namespace {

const Setting kYield{"OMPI_MCA_mpi_yield_when_idle", "1"};
const std::vector<Setting> kTransport = {{"OMPI_MCA_pml", "ob1"}, {"OMPI_MCA_btl", "tcp,vader,self"}};

MpiFacts with_cores(int cores) { return {.open_mpi = 4, .parameters = {}, .cores = cores}; }

MpiFacts with_files(McaParameters parameters) { return {.open_mpi = 4, .parameters = std::move(parameters)}; }

}  // namespace

TEST_CASE("mpirun's count of local ranks comes before Slurm's") {
  CHECK_FALSE(ranks_on_this_host(fake_environment({})).has_value());
  CHECK(ranks_on_this_host(fake_environment({{"OMPI_COMM_WORLD_LOCAL_SIZE", "3"}})) == 3);
  const std::map<std::string, std::string> step = {{"SLURM_STEP_TASKS_PER_NODE", "2,5"}, {"SLURM_NODEID", "1"}};
  CHECK(ranks_on_this_host(fake_environment(step)) == 5);
  auto mpirun_in_slurm = step;
  mpirun_in_slurm.insert({"OMPI_COMM_WORLD_LOCAL_SIZE", "2"});
  CHECK(ranks_on_this_host(fake_environment(mpirun_in_slurm)) == 2);
  // Variables of the job, not of a step, say nothing about this process.
  CHECK_FALSE(ranks_on_this_host(fake_environment({{"SLURM_NTASKS", "8"}, {"SLURM_TASKS_PER_NODE", "8"}})).has_value());
}

TEST_CASE("the transport is set as a whole, or left to the user") {
  CHECK(mpi_settings(fake_environment({}), with_cores(2)) == kTransport);
  for (const char* name : {"OMPI_MCA_pml", "OMPI_MCA_btl", "OMPI_MCA_mtl", "OMPI_MCA_osc", "UCX_TLS", "FI_PROVIDER",
                           "OMPI_MCA_mca_base_param_file_prefix", "OMPI_MCA_mca_base_envar_file_prefix"}) {
    CAPTURE(name);
    CHECK(mpi_settings(fake_environment({{name, "ucx"}}), with_cores(2)).empty());
  }
}

TEST_CASE("a transport chosen in a parameter file is left alone, one that is only narrowed is not") {
  const auto settings = [](const McaParameters& files) {
    return mpi_settings(fake_environment({}), with_files(files));
  };
  // The parameters as Debian ships them.
  CHECK(settings({{"mtl", "^ofi"}, {"btl", "^uct,openib,ofi"}, {"pml", "^ucx"}, {"osc", "^ucx,pt2pt"}}) == kTransport);
  CHECK(settings({{"btl_tcp_if_include", "eth0"}, {"coll", "^hcoll"}}) == kTransport);
  CHECK(settings({{"pml", "ucx"}}).empty());
  CHECK(settings({{"btl", "tcp,self"}}).empty());
  CHECK(settings({{"mtl", "ofi"}}).empty());
  CHECK(settings({{"osc", "ucx"}}).empty());
  CHECK(settings({{"btl", "^vader"}}).empty());
  CHECK(settings({{"btl", "^openib,tcp"}}).empty());
  CHECK(settings({{"pml", "^ob1"}}).empty());
  CHECK(settings({{"btl", "^tcp2,,sel"}}) == kTransport);
  CHECK(settings({{"pml", ""}}).empty());  // Open MPI's default, set explicitly
}

TEST_CASE("interfaces that lead nowhere are excluded, unless interfaces were chosen") {
  MpiFacts facts = with_cores(2);
  facts.dead_ends = {"docker0", "eno2"};
  const std::string all = "pml=ob1 btl=tcp,vader,self btl_tcp_if_exclude=127.0.0.1/8,sppp,docker0,eno2";
  CHECK(describe(mpi_settings(fake_environment({}), facts)) == all);
  facts.fast_network = true;  // MPI may still use TCP
  CHECK(describe(mpi_settings(fake_environment({}), facts)) == "btl_tcp_if_exclude=127.0.0.1/8,sppp,docker0,eno2");
  for (const char* name : {"btl_tcp_if_exclude", "btl_tcp_if_include"}) {
    CAPTURE(name);
    const std::string variable = std::string("OMPI_MCA_") + name;
    CHECK(mpi_settings(fake_environment({{variable, "10.0.0.0/8"}}), facts).empty());
    facts.parameters = {{name, "eth0"}};
    CHECK(mpi_settings(fake_environment({}), facts).empty());
    facts.parameters.clear();
  }
}

TEST_CASE("windows get a one-sided component, and the pml that it needs") {
  const auto settings = [](const std::map<std::string, std::string>& variables, MpiFacts facts) {
    facts.windows = Windows::any_hosts;
    return describe(mpi_settings(fake_environment(variables), facts));
  };
  constexpr const char* kAll = "pml=ob1 btl=tcp,vader,self osc=sm,pt2pt";
  constexpr const char* kNeeded = "pml=ob1 osc=sm,pt2pt";
  CHECK(settings({}, with_cores(2)) == kAll);
  CHECK(settings({{"OMPI_COMM_WORLD_LOCAL_SIZE", "3"}}, with_cores(2)) == std::string(kAll) + " mpi_yield_when_idle=1");
  // Debian's own file excludes pt2pt; that is no choice.
  CHECK(settings({}, with_files({{"mtl", "^ofi"}, {"pml", "^ucx"}, {"osc", "^ucx,pt2pt"}})) == kAll);

  MpiFacts fast = with_cores(2);
  fast.fast_network = true;
  CHECK(settings({}, fast) == kNeeded);
  CHECK(settings({{"OMPI_MCA_pml", "ob1"}}, fast) == "osc=sm,pt2pt");
  for (const char* name : {"OMPI_MCA_btl", "OMPI_MCA_mtl", "UCX_TLS", "FI_PROVIDER"}) {
    CAPTURE(name);
    CHECK(settings({{name, "x"}}, with_cores(2)) == kNeeded);
  }
  CHECK(settings({}, with_files({{"btl", "tcp,self"}})) == kNeeded);
  CHECK(settings({}, with_files({{"btl", "^vader"}, {"pml", "^ucx"}})) == kNeeded);

  fast.open_mpi = 5;  // rdma works with any pml
  CHECK(settings({}, fast) == "osc=sm,rdma");
  fast.fast_network = false;
  CHECK(settings({}, fast) == "pml=ob1 btl=tcp,sm,self osc=sm,rdma");
  fast.open_mpi.reset();
  CHECK(settings({}, fast).empty());
}

TEST_CASE("windows on one host need the component sm only, beside whatever carries the messages") {
  const auto settings = [](const std::map<std::string, std::string>& variables, MpiFacts facts) {
    facts.windows = Windows::one_host;
    return describe(mpi_settings(fake_environment(variables), facts));
  };
  CHECK(settings({}, with_cores(2)) == "pml=ob1 btl=tcp,vader,self osc=sm");
  MpiFacts fast = with_cores(2);
  fast.fast_network = true;
  CHECK(settings({}, fast) == "osc=sm");
  CHECK(settings({{"OMPI_MCA_pml", "ucx"}}, fast) == "osc=sm");
  CHECK(settings({{"OMPI_MCA_osc", "rdma"}}, fast).empty());
  CHECK(settings({}, with_files({{"osc", "ucx"}})).empty());
  fast.open_mpi = 5;
  CHECK(settings({}, fast) == "osc=sm");
  CHECK(choose_one_sided(std::vector<Setting>{kYield, {"OMPI_MCA_osc", "sm"}}));
  CHECK_FALSE(choose_one_sided(kTransport));
}

TEST_CASE("a choice of osc is kept, and with another pml than ob1 there is none of ours") {
  const auto settings = [](const std::map<std::string, std::string>& variables, const McaParameters& files) {
    MpiFacts facts = with_files(files);
    facts.windows = Windows::any_hosts;
    return describe(mpi_settings(fake_environment(variables), facts));
  };
  CHECK(settings({{"OMPI_MCA_osc", "ucx"}}, {}).empty());
  CHECK(settings({{"OMPI_MCA_osc", "^rdma"}}, {}).empty());
  CHECK(settings({}, {{"osc", "rdma"}}).empty());
  CHECK(settings({}, {{"osc", ""}}).empty());
  CHECK(settings({{"OMPI_MCA_mca_base_param_file_prefix", "x"}}, {}).empty());

  CHECK(settings({{"OMPI_MCA_pml", "ucx"}}, {}).empty());
  CHECK(settings({}, {{"pml", "cm"}}).empty());
  CHECK(settings({}, {{"pml", "^ob1"}}).empty());
  CHECK(settings({{"OMPI_MCA_pml", "^ob1"}}, {}).empty());
  CHECK(settings({{"OMPI_MCA_pml", "ob1"}}, {{"pml", "ucx"}}) == "osc=sm,pt2pt");  // the environment counts
  CHECK(settings({{"OMPI_MCA_pml", "^ucx"}}, {}) == "osc=sm,pt2pt");
  CHECK(settings({}, {{"pml", "ob1"}}) == "osc=sm,pt2pt");
}

TEST_CASE("settings carry the names of the library's version, and only Open MPI gets any") {
  const Environment crowded = fake_environment({{"OMPI_COMM_WORLD_LOCAL_SIZE", "3"}});
  MpiFacts facts = with_cores(2);
  facts.open_mpi = 5;
  CHECK(mpi_settings(crowded, facts) ==
        std::vector<Setting>{{"OMPI_MCA_pml", "ob1"}, {"OMPI_MCA_btl", "tcp,sm,self"}, kYield});
  for (const char* excluded : {"^sm", "^vader"}) {  // either name excludes it
    facts.parameters = {{"btl", excluded}};
    CHECK(mpi_settings(crowded, facts) == std::vector<Setting>{kYield});
  }
  facts.open_mpi.reset();
  CHECK(mpi_settings(crowded, facts).empty());
}

TEST_CASE("the transport is left to MPI where there may be a fast network") {
  MpiFacts facts = with_cores(2);
  facts.fast_network = true;
  CHECK(mpi_settings(fake_environment({}), facts).empty());
  CHECK(mpi_settings(fake_environment({{"OMPI_COMM_WORLD_LOCAL_SIZE", "3"}}), facts) == std::vector<Setting>{kYield});

  const TemporaryFolder host;
  CHECK_FALSE(sees_fast_network(host.path()));
  std::filesystem::create_directories(host / "sys/class/infiniband");  // a driver without a device
  CHECK_FALSE(sees_fast_network(host.path()));
  std::filesystem::create_directory(host / "sys/class/infiniband/mlx5_0");
  CHECK(sees_fast_network(host.path()));
  const TemporaryFolder other;
  std::filesystem::create_directories(other / "sys/class/cxi/cxi0");
  CHECK(sees_fast_network(other.path()));
}

TEST_CASE("ranks that outlive others have Lockstep's transport, which reads from no other process's memory") {
  constexpr const char* kAll = "pml=ob1 btl=tcp,vader,self btl_vader_single_copy_mechanism=none";
  MpiFacts facts = with_cores(2);
  facts.outlives_ranks = true;
  CHECK(describe(mpi_settings(fake_environment({}), facts)) == kAll);
  CHECK(outlive_ranks(mpi_settings(fake_environment({}), facts)));
  CHECK_FALSE(outlive_ranks(kTransport));
  facts.fast_network = true;
  CHECK(describe(mpi_settings(fake_environment({}), facts)) == kAll);
  for (const char* name : {"OMPI_MCA_pml", "OMPI_MCA_btl", "OMPI_MCA_btl_vader_single_copy_mechanism", "UCX_TLS"}) {
    CAPTURE(name);
    CHECK_FALSE(outlive_ranks(mpi_settings(fake_environment({{name, "x"}}), facts)));
  }
  facts.parameters = {{"btl_vader_single_copy_mechanism", "cma"}};
  CHECK_FALSE(outlive_ranks(mpi_settings(fake_environment({}), facts)));
  facts.open_mpi = 5;
  facts.parameters = {};
  CHECK_FALSE(outlive_ranks(mpi_settings(fake_environment({}), facts)));
}

TEST_CASE("settings are shown by the names that mpirun --mca takes") {
  CHECK(describe(std::span<const Setting>()).empty());
  CHECK(describe(kTransport) == "pml=ob1 btl=tcp,vader,self");
  CHECK(describe(std::vector<Setting>{kYield, {"OTHER", "x"}}) == "mpi_yield_when_idle=1 OTHER=x");
}

TEST_CASE("ranks that outnumber the cores yield") {
  auto expected = kTransport;
  CHECK(mpi_settings(fake_environment({{"OMPI_COMM_WORLD_LOCAL_SIZE", "2"}}), with_cores(2)) == expected);
  expected.push_back(kYield);
  CHECK(mpi_settings(fake_environment({{"OMPI_COMM_WORLD_LOCAL_SIZE", "3"}}), with_cores(2)) == expected);
  CHECK(mpi_settings(fake_environment({{"OMPI_COMM_WORLD_LOCAL_SIZE", "3"}, {"OMPI_MCA_mpi_yield_when_idle", "0"}}),
                     with_cores(2)) == kTransport);
  MpiFacts facts = with_cores(2);
  facts.parameters = {{"mpi_yield_when_idle", "0"}};
  CHECK(mpi_settings(fake_environment({{"OMPI_COMM_WORLD_LOCAL_SIZE", "3"}}), facts) == kTransport);
}

}  // namespace lockstep

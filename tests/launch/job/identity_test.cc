#include "launch/job/identity.h"

#include <doctest/doctest.h>

#include <map>

#include "support/fake_environment.h"

namespace lockstep {
namespace {

TEST_CASE("without a launcher's variables a process is alone") {
  CHECK(launch_identity(fake_environment({})).launcher == Launcher::none);
  CHECK(launch_identity(fake_environment({{"SLURM_NTASKS", "8"}, {"NSLOTS", "8"}, {"SLURM_PROCID", "3"}})).size == 1);
  CHECK(launch_identity(fake_environment({{"SLURM_STEP_ID", "0"}, {"SLURM_STEP_NUM_TASKS", "1"}})).launcher ==
        Launcher::none);
  CHECK(launch_identity(fake_environment({{"OMPI_COMM_WORLD_SIZE", "many"}})).launcher == Launcher::none);
}

TEST_CASE("mpirun's variables win over those of the Slurm step its daemon runs in") {
  const LaunchIdentity identity = launch_identity(fake_environment({{"OMPI_COMM_WORLD_SIZE", "6"},
                                                                    {"OMPI_COMM_WORLD_RANK", "5"},
                                                                    {"SLURM_STEP_ID", "0"},
                                                                    {"SLURM_STEP_NUM_TASKS", "3"},
                                                                    {"SLURM_PROCID", "1"}}));
  CHECK(identity.launcher == Launcher::mpirun);
  CHECK(identity.rank == 5);
  CHECK(identity.size == 6);
  CHECK(!launch_error_before_mpi(identity));
}

TEST_CASE("srun without PMIx is hopeless, with it is not") {
  std::map<std::string, std::string> step{{"SLURM_STEP_ID", "0"}, {"SLURM_STEP_NUM_TASKS", "3"}, {"SLURM_PROCID", "2"}};
  const LaunchIdentity bare = launch_identity(fake_environment(step));
  CHECK(bare.launcher == Launcher::srun);
  CHECK(bare.rank == 2);
  REQUIRE(launch_error_before_mpi(bare));
  CHECK(launch_error_before_mpi(bare)->code() == ExitCode::configuration);
  CHECK(std::string(launch_error_before_mpi(bare)->what()).find("srun --mpi=pmix -K -n 3") != std::string::npos);
  step["PMIX_RANK"] = "2";
  CHECK(!launch_error_before_mpi(launch_identity(fake_environment(step))));
}

TEST_CASE("processes that MPI does not know of are refused with the right command") {
  const LaunchIdentity pmi = launch_identity(fake_environment({{"PMI_SIZE", "2"}, {"PMI_RANK", "1"}}));
  CHECK(pmi.launcher == Launcher::pmi);
  REQUIRE(launch_error_after_mpi(pmi, 1, "Open MPI"));
  CHECK(std::string(launch_error_after_mpi(pmi, 1, "Open MPI")->what()).find("mpirun -np 2") != std::string::npos);
  CHECK(!launch_error_after_mpi(pmi, 2, "Open MPI"));
  CHECK(!launch_error_after_mpi(launch_identity(fake_environment({{"OMPI_COMM_WORLD_SIZE", "1"}})), 1, "Open MPI"));
}

TEST_CASE("processes of torchrun are refused with the mpirun line, on every rank alike") {
  std::map<std::string, std::string> torch{
      {"WORLD_SIZE", "3"}, {"RANK", "2"}, {"LOCAL_RANK", "2"}, {"MASTER_ADDR", "localhost"}};
  const LaunchIdentity identity = launch_identity(fake_environment(torch));
  CHECK(identity.launcher == Launcher::torchrun);
  CHECK(identity.rank == 2);
  CHECK(identity.size == 3);
  const auto error = launch_error_before_mpi(identity);
  REQUIRE(error);
  CHECK(error->code() == ExitCode::configuration);
  CHECK(error->scope() == Scope::every_rank);
  CHECK(std::string(error->what()).find("mpirun -np 3 build/train") != std::string::npos);
  CHECK(std::string(error->what()).find("unset WORLD_SIZE RANK") != std::string::npos);
  // A script of one's own need not set more.
  CHECK(launch_identity(fake_environment({{"WORLD_SIZE", "2"}, {"RANK", "0"}})).launcher == Launcher::torchrun);

  // torchrun in a step of Slurm, a task a host or one task alone, is still the one that started this process.
  torch["SLURM_STEP_ID"] = "0";
  torch["SLURM_STEP_NUM_TASKS"] = "1";
  CHECK(launch_identity(fake_environment(torch)).launcher == Launcher::torchrun);
  torch["SLURM_STEP_NUM_TASKS"] = "2";
  CHECK(launch_identity(fake_environment(torch)).launcher == Launcher::srun);  // a script's own variables, say
  torch["TORCHELASTIC_RUN_ID"] = "none";
  CHECK(launch_identity(fake_environment(torch)).launcher == Launcher::torchrun);
}

TEST_CASE("variables of PyTorch that name no other process, or stand beside those of mpirun, refuse nothing") {
  std::map<std::string, std::string> torch{
      {"WORLD_SIZE", "1"}, {"RANK", "0"}, {"LOCAL_RANK", "0"}, {"MASTER_ADDR", "localhost"}};
  CHECK(launch_identity(fake_environment(torch)).launcher == Launcher::none);
  torch["WORLD_SIZE"] = "4";
  torch.erase("RANK");
  CHECK(launch_identity(fake_environment(torch)).launcher == Launcher::none);
  torch["RANK"] = "0";
  torch["OMPI_COMM_WORLD_SIZE"] = "4";
  CHECK(launch_identity(fake_environment(torch)).launcher == Launcher::mpirun);
}

TEST_CASE("TF_CONFIG is named as not read, with what is done instead") {
  CHECK(unread_variables(fake_environment({}), 1).empty());
  CHECK(unread_variables(fake_environment({{"TF_CONFIG", ""}}), 1).empty());
  const std::string alone = unread_variables(fake_environment({{"TF_CONFIG", "{}"}}), 1);
  CHECK(alone.starts_with("TF_CONFIG is set, but not read yet: who trains is what the launcher started, this one"));
  CHECK(unread_variables(fake_environment({{"TF_CONFIG", "{}"}}), 5).find("5 ranks") != std::string::npos);
}

TEST_CASE("a job is known by its scheduler's name and number") {
  const auto id = [](std::map<std::string, std::string> values) {
    return scheduler_job_id(fake_environment(std::move(values)));
  };
  CHECK(id({}).empty());
  CHECK(id({{"SLURM_JOB_ID", "1234"}, {"SLURM_ARRAY_JOB_ID", "1230"}, {"SLURM_ARRAY_TASK_ID", "4"}}) == "slurm 1234");
  CHECK(id({{"SLURM_JOB_ID", ""}}).empty());
  CHECK(id({{"JOB_ID", "77"}, {"SGE_ROOT", "/opt/sge"}, {"SGE_TASK_ID", "undefined"}}) == "sge 77");
  CHECK(id({{"JOB_ID", "77"}, {"PE_HOSTFILE", "/spool/pe_hostfile"}}) == "sge 77");
  CHECK(id({{"JOB_ID", "77"}, {"SGE_ROOT", "/opt/sge"}, {"SGE_TASK_ID", "3"}}) == "sge 77.3");
  CHECK(id({{"JOB_ID", "somebody's own variable"}}).empty());
  CHECK(id({{"JOB_ID", "77"}}).empty());
  CHECK(id({{"SGE_ROOT", "/opt/sge"}}).empty());
  CHECK(id({{"PBS_JOBID", "12[3].server"}}) == "pbs 12[3].server");
  CHECK(id({{"LSB_JOBID", "5"}, {"LSB_JOBINDEX", "0"}}) == "lsf 5");
  CHECK(id({{"LSB_JOBID", "5"}, {"LSB_JOBINDEX", "2"}}) == "lsf 5.2");
  CHECK(id({{"SLURM_JOB_ID", "12\n34"}}).empty());  // an id is a word
}

}  // namespace
}  // namespace lockstep

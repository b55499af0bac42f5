#include "launch/job/identity.h"

#include <doctest/doctest.h>

#include <map>
#include <optional>
#include <string>

#include "support/fake_environment.h"

namespace lockstep {
namespace {

using Variables = std::map<std::string, std::string>;

Variables with(Variables variables, const Variables& more) {
  for (const auto& [name, value] : more) variables.insert_or_assign(name, value);
  return variables;
}

// Variables of a batch script for 6 tasks on 3 nodes, as in Slurm 22.05.
const Variables kSlurmBatch{{"SLURM_JOB_ID", "17"},
                            {"SLURM_JOB_NODELIST", "n[1-3]"},
                            {"SLURM_TASKS_PER_NODE", "2(x3)"},
                            {"SLURM_NTASKS", "6"},
                            {"SLURM_NNODES", "3"},
                            {"SLURM_NODEID", "0"},
                            {"SLURM_PROCID", "0"},
                            {"SLURM_LOCALID", "0"}};

// Variables of one task of a step in it.
const Variables kSlurmStep = with(kSlurmBatch, {{"SLURM_STEP_ID", "0"},
                                                {"SLURM_STEP_NODELIST", "n[1-3]"},
                                                {"SLURM_STEP_NUM_TASKS", "6"},
                                                {"SLURM_STEP_TASKS_PER_NODE", "2(x3)"},
                                                {"SLURM_PROCID", "3"},
                                                {"SLURM_NODEID", "1"},
                                                {"SLURM_LOCALID", "1"}});

constexpr PmiClients kNoPmi{.pmi1 = false, .pmi2 = false};
const std::string kSrunCure = "srun --mpi=pmix -K -n 6 build/train ... (srun --mpi=list shows what this Slurm has)";

// Returns the message, and checks for code 78 on every rank.
std::optional<std::string> error_before_mpi(const LaunchIdentity& identity, const PmiClients& clients) {
  const auto error = launch_error_before_mpi(identity, clients, "Open MPI 4.1.4");
  if (!error) return {};
  CHECK(error->code() == ExitCode::configuration);
  CHECK(error->scope() == Scope::every_rank);
  return error->what();
}

TEST_CASE("without a launcher's variables a process is alone") {
  CHECK(launch_identity(fake_environment({})).launcher == Launcher::none);
  CHECK(launch_identity(fake_environment({{"SLURM_NTASKS", "8"}, {"NSLOTS", "8"}, {"SLURM_PROCID", "3"}})).size == 1);
  CHECK(launch_identity(fake_environment(kSlurmBatch)).launcher == Launcher::none);
  CHECK(launch_identity(fake_environment({{"SLURM_STEP_ID", "0"}, {"SLURM_STEP_NUM_TASKS", "1"}})).launcher ==
        Launcher::none);
  CHECK(launch_identity(fake_environment({{"OMPI_COMM_WORLD_SIZE", "many"}})).launcher == Launcher::none);
}

TEST_CASE("a step of srun --mpi=pmix has its rank from PMIx") {
  auto step = with(kSlurmStep, {{"PMIX_RANK", "4"}, {"PMIX_NAMESPACE", "slurm.pmix.17.0"}});
  const LaunchIdentity identity = launch_identity(fake_environment(step));
  CHECK(identity.launcher == Launcher::srun);
  CHECK(identity.manager == ProcessManager::pmix);
  CHECK(identity.rank == 4);
  CHECK(identity.size == 6);
  CHECK_FALSE(error_before_mpi(identity, kNoPmi).has_value());

  // A newer PMIx in Slurm's daemon sets mpirun's variables, too.
  step = with(step, {{"OMPI_COMM_WORLD_SIZE", "6"}, {"OMPI_COMM_WORLD_RANK", "4"}});
  CHECK(launch_identity(fake_environment(step)).launcher == Launcher::srun);
  // A single task is alone, and so is a shell of srun --pty.
  step = with(kSlurmStep, {{"PMIX_RANK", "0"}, {"PMIX_NAMESPACE", "slurm.pmix.17.0"}, {"SLURM_STEP_NUM_TASKS", "1"}});
  CHECK(launch_identity(fake_environment(step)).launcher == Launcher::none);
}

TEST_CASE("a step without PMIx is refused before MPI_Init if MPI has no other way") {
  const LaunchIdentity bare = launch_identity(fake_environment(kSlurmStep));
  CHECK(bare.launcher == Launcher::srun);
  CHECK(bare.manager == ProcessManager::none);
  CHECK(bare.rank == 3);  // Slurm's, as MPI has none
  CHECK(error_before_mpi(bare, kNoPmi).value_or("").find(kSrunCure) != std::string::npos);
  // Slurm serves PMI-1 in every step: a PMI-1 client needs no variables.
  CHECK_FALSE(error_before_mpi(bare, {.pmi1 = true, .pmi2 = false}).has_value());
}

TEST_CASE("srun --mpi=pmi2 is refused before MPI_Init by an MPI that has no client of it") {
  const auto step = with(kSlurmStep, {{"PMI_RANK", "5"}, {"PMI_SIZE", "6"}, {"PMI_FD", "12"}, {"PMI_JOBID", "17.0"}});
  const LaunchIdentity identity = launch_identity(fake_environment(step));
  CHECK(identity.launcher == Launcher::srun);
  CHECK(identity.manager == ProcessManager::pmi2);
  CHECK(identity.rank == 5);
  const std::string error = error_before_mpi(identity, kNoPmi).value_or("");
  CHECK(error.find("6 tasks with PMI2") != std::string::npos);
  CHECK(error.find("Open MPI 4.1.4") != std::string::npos);
  CHECK(error.find(kSrunCure) != std::string::npos);
  CHECK_FALSE(error_before_mpi(identity, {}).has_value());
}

TEST_CASE("variables of PMIx that a step has inherited from another one's shell do not count") {
  const auto shell = with(kSlurmStep, {{"PMIX_RANK", "0"}, {"PMIX_NAMESPACE", "slurm.pmix.17.4294967290"}});
  const LaunchIdentity bare = launch_identity(fake_environment(with(shell, {{"SLURM_MPI_TYPE", "none"}})));
  CHECK(bare.manager == ProcessManager::none);
  CHECK(bare.rank == 3);
  const auto pmi2 = with(shell, {{"SLURM_MPI_TYPE", "pmi2"}, {"PMI_RANK", "5"}, {"PMI_SIZE", "6"}});
  CHECK(launch_identity(fake_environment(pmi2)).manager == ProcessManager::pmi2);
  CHECK(launch_identity(fake_environment(pmi2)).rank == 5);
  const auto pmix = with(shell, {{"SLURM_MPI_TYPE", "pmix_v4"}});
  CHECK(launch_identity(fake_environment(pmix)).manager == ProcessManager::pmix);
}

TEST_CASE("mpirun in a job of Slurm: its variables count, and not those of its daemon's step") {
  // On the host of the script there is neither daemon nor step.
  auto variables = with(kSlurmBatch, {{"PMIX_NAMESPACE", "1210646529"},
                                      {"PMIX_RANK", "1"},
                                      {"PMI_FD", "9"},
                                      {"OMPI_COMM_WORLD_SIZE", "6"},
                                      {"OMPI_COMM_WORLD_RANK", "1"},
                                      {"OMPI_COMM_WORLD_LOCAL_RANK", "1"},
                                      {"OMPI_COMM_WORLD_LOCAL_SIZE", "2"}});
  for (const Variables& daemon : {Variables{}, kSlurmStep}) {
    const LaunchIdentity identity = launch_identity(fake_environment(with(variables, daemon)));
    CHECK(identity.launcher == Launcher::mpirun);
    CHECK(identity.rank == 1);
    CHECK(identity.size == 6);
    CHECK_FALSE(error_before_mpi(identity, kNoPmi).has_value());
  }
}

TEST_CASE("mpiexec of MPICH in a job of Slurm: PMI's variables count, and not those of its daemon's step") {
  const auto variables =
      with(kSlurmStep,
           {{"PMI_RANK", "5"}, {"PMI_SIZE", "8"}, {"PMI_FD", "9"}, {"MPI_LOCALRANKID", "1"}, {"MPI_LOCALNRANKS", "4"}});
  const LaunchIdentity identity = launch_identity(fake_environment(variables));
  CHECK(identity.launcher == Launcher::pmi);
  CHECK(identity.rank == 5);
  CHECK(identity.size == 8);
  CHECK_FALSE(error_before_mpi(identity, kNoPmi).has_value());
}

TEST_CASE("processes of PMIx's own launcher join MPI, though it does not say how many they are") {
  const Variables variables{{"PMIX_RANK", "3"}, {"PMIX_NAMESPACE", "prterun-host-17@1"}};
  for (const Variables& daemon : {Variables{}, kSlurmStep}) {
    const LaunchIdentity identity = launch_identity(fake_environment(with(variables, daemon)));
    CHECK(identity.launcher == Launcher::pmi);
    CHECK(identity.rank == 3);
    CHECK(identity.size == 4);
  }
  CHECK(launch_identity(fake_environment({{"PMIX_RANK", "2147483647"}, {"PMIX_NAMESPACE", "x"}})).size > 0);
  CHECK(launch_identity(fake_environment({{"PMIX_RANK", "-2"}, {"PMIX_NAMESPACE", "x"}})).launcher == Launcher::none);
}

TEST_CASE("a job of Grid Engine is what mpirun starts in it, not its slots") {
  const Variables job{{"NSLOTS", "6"},         {"NHOSTS", "3"},    {"NQUEUES", "3"},
                      {"JOB_ID", "77"},        {"PE", "mpi"},      {"PE_HOSTFILE", "/spool/pe_hostfile"},
                      {"QUEUE", "all.q"},      {"RESTARTED", "0"}, {"SGE_TASK_ID", "undefined"},
                      {"SGE_ROOT", "/opt/sge"}};
  CHECK(launch_identity(fake_environment(job)).launcher == Launcher::none);
  // On a slave host NSLOTS is the number of slots there.
  const auto slave = with(job, {{"NSLOTS", "2"},
                                {"JOB_NAME", "petask"},
                                {"OMPI_COMM_WORLD_SIZE", "6"},
                                {"OMPI_COMM_WORLD_RANK", "5"},
                                {"OMPI_COMM_WORLD_LOCAL_RANK", "1"}});
  const LaunchIdentity identity = launch_identity(fake_environment(slave));
  CHECK(identity.launcher == Launcher::mpirun);
  CHECK(identity.rank == 5);
  CHECK(identity.size == 6);
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
  Variables torch{{"WORLD_SIZE", "3"}, {"RANK", "2"}, {"LOCAL_RANK", "2"}, {"MASTER_ADDR", "localhost"}};
  const LaunchIdentity identity = launch_identity(fake_environment(torch));
  CHECK(identity.launcher == Launcher::foreign);
  CHECK(identity.rank == 2);
  CHECK(identity.size == 3);
  const std::string error = error_before_mpi(identity, {}).value_or("");
  CHECK(error.find("mpirun -np 3 build/train") != std::string::npos);
  CHECK(error.find("unset WORLD_SIZE RANK") != std::string::npos);
  // A user's own script need not set more.
  CHECK(launch_identity(fake_environment({{"WORLD_SIZE", "2"}, {"RANK", "0"}})).launcher == Launcher::foreign);

  // torchrun in a step of Slurm, with one task per host or a single task, is still what started this process.
  torch["SLURM_STEP_ID"] = "0";
  torch["SLURM_STEP_NUM_TASKS"] = "1";
  CHECK(launch_identity(fake_environment(torch)).launcher == Launcher::foreign);
  torch["SLURM_STEP_NUM_TASKS"] = "2";
  CHECK(launch_identity(fake_environment(torch)).launcher == Launcher::srun);  // a script's own variables, perhaps
  torch["TORCHELASTIC_RUN_ID"] = "none";
  CHECK(launch_identity(fake_environment(torch)).launcher == Launcher::foreign);
}

TEST_CASE("processes of horovodrun without MPI, and of SageMaker, are refused with the mpirun line") {
  const Variables horovod{{"HOROVOD_RANK", "1"}, {"HOROVOD_SIZE", "2"}, {"HOROVOD_LOCAL_RANK", "0"}};
  const LaunchIdentity ranked = launch_identity(fake_environment(horovod));
  CHECK(ranked.launcher == Launcher::foreign);
  CHECK(ranked.rank == 1);
  const std::string error = error_before_mpi(ranked, {}).value_or("");
  CHECK(error.find("horovodrun or a script like it started 2 processes (HOROVOD_SIZE=2, HOROVOD_RANK)") == 0);
  CHECK(error.find("mpirun -np 2 build/train") != std::string::npos);
  CHECK(error.find("unset HOROVOD_SIZE HOROVOD_RANK") != std::string::npos);

  const Variables sagemaker{{"SM_HOSTS", R"(["algo-1", "algo-2"])"}, {"SM_CURRENT_HOST", "algo-2"}};
  const LaunchIdentity hosted = launch_identity(fake_environment(sagemaker));
  CHECK(hosted.launcher == Launcher::foreign);
  CHECK(hosted.rank == 1);
  CHECK(hosted.size == 2);
  CHECK(error_before_mpi(hosted, {}).value_or("").find("mpirun -np 2 --host algo-1,algo-2 build/train ...") !=
        std::string::npos);

  // SageMaker and horovodrun start mpirun if told to use MPI.
  for (const Variables& foreign : {horovod, sagemaker}) {
    const auto started = with(foreign, {{"OMPI_COMM_WORLD_SIZE", "4"}, {"OMPI_COMM_WORLD_RANK", "3"}});
    CHECK(launch_identity(fake_environment(started)).launcher == Launcher::mpirun);
    CHECK_FALSE(error_before_mpi(launch_identity(fake_environment(started)), {}).has_value());
  }
  // A single process.
  for (const Variables& alone :
       {Variables{{"HOROVOD_RANK", "0"}, {"HOROVOD_SIZE", "1"}}, Variables{{"HOROVOD_SIZE", "2"}},
        Variables{{"SM_HOSTS", R"(["algo-1"])"}, {"SM_CURRENT_HOST", "algo-1"}},
        Variables{{"SM_HOSTS", R"(["algo-1", "algo-2"])"}},
        Variables{{"SM_HOSTS", "algo-1,algo-2"}, {"SM_CURRENT_HOST", "algo-1"}}}) {
    CHECK(launch_identity(fake_environment(alone)).launcher == Launcher::none);
  }
}

TEST_CASE("variables of PyTorch that name no other process, or stand beside those of mpirun, refuse nothing") {
  Variables torch{{"WORLD_SIZE", "1"}, {"RANK", "0"}, {"LOCAL_RANK", "0"}, {"MASTER_ADDR", "localhost"}};
  CHECK(launch_identity(fake_environment(torch)).launcher == Launcher::none);
  torch["WORLD_SIZE"] = "4";
  torch.erase("RANK");
  CHECK(launch_identity(fake_environment(torch)).launcher == Launcher::none);
  torch["RANK"] = "0";
  torch["OMPI_COMM_WORLD_SIZE"] = "4";
  CHECK(launch_identity(fake_environment(torch)).launcher == Launcher::mpirun);
}

TEST_CASE("a job is known by its scheduler's name and number") {
  const auto id = [](Variables values) { return scheduler_job_id(fake_environment(std::move(values))); };
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

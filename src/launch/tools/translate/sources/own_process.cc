#include "launch/tools/translate/sources/own_process.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/slurm_lists.h"
#include "launch/job/identity.h"

namespace lockstep {
namespace {

std::string host_of(const Environment& environment) {
  const auto host = environment("PMIX_HOSTNAME");
  return host ? *host : environment("SLURMD_NODENAME").value_or("");
}

int count(const Environment& environment, const char* name, int otherwise) {
  return count_in(environment, name).value_or(otherwise);
}

void take_from_slurm(const Environment& environment, OwnProcess& own) {
  own.launcher = "SLURM_STEP_NUM_TASKS";
  own.local_rank = count(environment, "SLURM_LOCALID", 0);
  const auto tasks = environment("SLURM_STEP_TASKS_PER_NODE");
  own.local_size = own.local_rank + 1;  // at least
  if (tasks) {
    own.local_size = tasks_on_node(*tasks, count(environment, "SLURM_NODEID", 0)).value_or(own.local_size);
  }
}

void check_numbers(const OwnProcess& own) {
  if (own.rank < own.size && own.local_rank < own.local_size && own.local_size <= own.size) return;
  throw Error(
      ExitCode::configuration,
      fmt::format("the launcher's variables ({} and its like) contradict each other: rank {} of {}, {} of {} on "
                  "its host; unset them if they are left over from another job",
                  own.launcher, own.rank, own.size, own.local_rank, own.local_size));
}

}  // namespace

std::optional<OwnProcess> own_process(const Environment& environment) {
  const LaunchIdentity identity = launch_identity(environment);
  OwnProcess own{
      .launcher = "OMPI_COMM_WORLD_RANK", .rank = identity.rank, .size = identity.size, .host = host_of(environment)};
  switch (identity.launcher) {
    case Launcher::mpirun:
      own.local_rank = count(environment, "OMPI_COMM_WORLD_LOCAL_RANK", 0);
      own.local_size = count(environment, "OMPI_COMM_WORLD_LOCAL_SIZE", 1);
      break;
    case Launcher::pmi:
      own.launcher = "PMI_RANK";
      own.local_rank = count(environment, "MPI_LOCALRANKID", 0);
      own.local_size = count(environment, "MPI_LOCALNRANKS", 1);
      break;
    case Launcher::srun:
      take_from_slurm(environment, own);
      break;
    case Launcher::none:
    case Launcher::foreign:
      return {};
  }
  check_numbers(own);
  return own;
}

}  // namespace lockstep

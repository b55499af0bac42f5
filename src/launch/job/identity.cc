#include "launch/job/identity.h"

#include <fmt/format.h>

#include <algorithm>

namespace lockstep {
namespace {

// A variable as a word of printable ASCII, as every scheduler gives its ids; "" if it is anything else, or not set.
std::string word(const Environment& environment, const char* name) {
  const std::string text = environment(name).value_or("");
  const bool plain =
      text.size() <= 100 && std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c <= '~'; });
  return plain ? text : "";
}

// What torchrun tells each of several processes; so do scripts that start PyTorch's by other means, some of them these
// two variables alone.
std::optional<LaunchIdentity> torch_identity(const Environment& environment) {
  const auto size = count_in(environment, "WORLD_SIZE");
  const auto rank = count_in(environment, "RANK");
  if (!size || *size <= 1 || !rank) return {};
  return LaunchIdentity{.launcher = Launcher::torchrun, .rank = *rank, .size = *size};
}

Error torch_error(int size) {
  return Error(
      ExitCode::configuration,
      fmt::format("torchrun or a script like it started {} processes (WORLD_SIZE={}, RANK), but "
                  "the ranks of this program find each other through MPI, and each would train alone; start with: "
                  "mpirun -np {} build/train ... (for several hosts: --host a:4,b:4). If these variables are left over "
                  "from something else: unset WORLD_SIZE RANK",
                  size, size, size),
      Scope::every_rank);
}

}  // namespace

LaunchIdentity launch_identity(const Environment& environment) {
  const auto torch = torch_identity(environment);
  if (torch && environment("TORCHELASTIC_RUN_ID")) return *torch;
  const bool pmix = environment("PMIX_RANK").has_value();
  if (const auto size = count_in(environment, "OMPI_COMM_WORLD_SIZE")) {
    return {Launcher::mpirun, count_in(environment, "OMPI_COMM_WORLD_RANK").value_or(0), *size, pmix};
  }
  if (environment("SLURM_STEP_ID")) {
    const int size = count_in(environment, "SLURM_STEP_NUM_TASKS").value_or(1);
    const bool managed = pmix || environment("PMI_RANK").has_value();
    if (size > 1) return {Launcher::srun, count_in(environment, "SLURM_PROCID").value_or(0), size, managed};
  }
  if (const auto size = count_in(environment, "PMI_SIZE"); size && *size > 1) {
    return {Launcher::pmi, count_in(environment, "PMI_RANK").value_or(0), *size, pmix};
  }
  return torch.value_or(LaunchIdentity{});
}

std::optional<Error> launch_error_before_mpi(const LaunchIdentity& identity) {
  if (identity.launcher == Launcher::torchrun) return torch_error(identity.size);
  if (identity.launcher != Launcher::srun || identity.process_managed) return {};
  return Error(
      ExitCode::configuration,
      fmt::format("srun started {} tasks but gave MPI no way to find each other, so each would train alone; "
                  "start with: srun --mpi=pmix -K -n {} build/train ... (srun --mpi=list shows what this Slurm has)",
                  identity.size, identity.size),
      Scope::every_rank);
}

std::optional<Error> launch_error_after_mpi(const LaunchIdentity& identity, int mpi_world_size,
                                            const std::string& mpi_version) {
  if (mpi_world_size > 1 || identity.size <= 1) return {};
  const std::string cure =
      identity.launcher == Launcher::srun
          ? fmt::format("start with: srun --mpi=pmix -K -n {} build/train ...", identity.size)
          : fmt::format(
                "start with the mpirun of that MPI (which mpirun; mpirun --version): mpirun -np {} build/train ...",
                identity.size);
  return Error(ExitCode::configuration,
               fmt::format("the launcher started {} processes, but MPI ({}) sees only this one: each would train alone "
                           "and write over the others; {}",
                           identity.size, mpi_version, cure),
               Scope::every_rank);
}

std::string unread_variables(const Environment& environment, int ranks) {
  if (environment("TF_CONFIG").value_or("").empty()) return "";
  return fmt::format(
      "TF_CONFIG is set, but not read yet: who trains is what the launcher started, {}, with rank 0 as the chief; for "
      "a job of several ranks: mpirun -np N build/train ...",
      ranks == 1 ? "this one process" : fmt::format("{} ranks", ranks));
}

// Slurm and PBS number the tasks of an array as jobs. Grid Engine and LSF give all of them one number and a second one
// of their own, which is "undefined" or 0 where there is no array. JOB_ID alone says nothing: anybody may use that
// name.
std::string scheduler_job_id(const Environment& environment) {
  if (const std::string id = word(environment, "SLURM_JOB_ID"); !id.empty()) return "slurm " + id;
  const std::string sge = word(environment, "JOB_ID");
  if (!sge.empty() && (environment("SGE_ROOT") || environment("PE_HOSTFILE"))) {
    const std::string task = word(environment, "SGE_TASK_ID");
    return task.empty() || task == "undefined" ? "sge " + sge : fmt::format("sge {}.{}", sge, task);
  }
  if (const std::string id = word(environment, "PBS_JOBID"); !id.empty()) return "pbs " + id;
  if (const std::string id = word(environment, "LSB_JOBID"); !id.empty()) {
    const std::string task = word(environment, "LSB_JOBINDEX");
    return task.empty() || task == "0" ? "lsf " + id : fmt::format("lsf {}.{}", id, task);
  }
  return "";
}

}  // namespace lockstep

#include "launch/job/identity.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "launch/job/foreign_launch.h"

namespace lockstep {
namespace {

// A variable as a word of printable ASCII, as every scheduler gives its ids; "" if it is anything else, or not set.
std::string word(const Environment& environment, const char* name) {
  const std::string text = environment(name).value_or("");
  const bool plain =
      text.size() <= 100 && std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c <= '~'; });
  return plain ? text : "";
}

std::optional<LaunchIdentity> foreign_identity(const Environment& environment) {
  auto foreign = foreign_launch(environment);
  if (!foreign) return {};
  return LaunchIdentity{.launcher = Launcher::foreign,
                        .rank = foreign->rank,
                        .size = foreign->size,
                        .refusal = std::move(foreign->refusal)};
}

std::optional<LaunchIdentity> mpirun_identity(const Environment& environment) {
  const auto size = count_in(environment, "OMPI_COMM_WORLD_SIZE");
  if (!size || *size < 1) return {};
  return LaunchIdentity{.launcher = Launcher::mpirun,
                        .rank = count_in(environment, "OMPI_COMM_WORLD_RANK").value_or(0),
                        .size = *size,
                        .manager = ProcessManager::pmix};
}

// The identity under mpiexec, and under srun --mpi=pmi2.
std::optional<LaunchIdentity> pmi_identity(const Environment& environment) {
  const auto size = count_in(environment, "PMI_SIZE");
  if (!size || *size <= 1) return {};
  return LaunchIdentity{.launcher = Launcher::pmi,
                        .rank = count_in(environment, "PMI_RANK").value_or(0),
                        .size = *size,
                        .manager = ProcessManager::pmi2};
}

// The identity in a Slurm step with several tasks. SLURM_PROCID is the rank only if Slurm gives MPI none. A step
// started from the shell of another (salloc's, in many places) inherits that one's variables of PMIx; SLURM_MPI_TYPE is
// always its own.
std::optional<LaunchIdentity> srun_identity(const Environment& environment) {
  const auto size = count_in(environment, "SLURM_STEP_NUM_TASKS");
  if (!environment("SLURM_STEP_ID") || !size || *size <= 1) return {};
  LaunchIdentity identity{.launcher = Launcher::srun, .size = *size};
  const std::string type = environment("SLURM_MPI_TYPE").value_or("");
  const auto pmix_rank = count_in(environment, "PMIX_RANK");
  if (pmix_rank && type != "pmi2" && type != "none") {
    identity.manager = ProcessManager::pmix;
    identity.rank = *pmix_rank;
  } else if (const auto pmi_rank = count_in(environment, "PMI_RANK")) {
    identity.manager = ProcessManager::pmi2;
    identity.rank = *pmi_rank;
  } else {
    identity.rank = count_in(environment, "SLURM_PROCID").value_or(0);
  }
  return identity;
}

// Slurm's PMIx server names every step like this. Any other name is mpirun's or prun's, whatever Slurm's variables say.
bool is_of_slurm(const std::string& pmix_namespace) { return pmix_namespace.starts_with("slurm."); }

// The identity under PMIx's own launchers, which do not say how many processes they started.
std::optional<LaunchIdentity> pmix_identity(const Environment& environment) {
  const auto rank = count_in(environment, "PMIX_RANK");
  const auto job = environment("PMIX_NAMESPACE");
  if (!rank || !job || is_of_slurm(*job)) return {};
  constexpr int kMost = std::numeric_limits<int>::max() - 1;
  return LaunchIdentity{
      .launcher = Launcher::pmi, .rank = *rank, .size = std::min(*rank, kMost) + 1, .manager = ProcessManager::pmix};
}

std::string srun_command(int size) {
  return fmt::format("srun --mpi=pmix -K -n {} build/train ... (srun --mpi=list shows what this Slurm has)", size);
}

}  // namespace

LaunchIdentity launch_identity(const Environment& environment) {
  const auto foreign = foreign_identity(environment);
  if (foreign && environment("TORCHELASTIC_RUN_ID")) return *foreign;  // torchrun itself
  std::optional<LaunchIdentity> identity;
  // Checked before mpirun's variables, which Slurm's PMIx server may set as well (OpenPMIx's component "pmdl ompi").
  if (is_of_slurm(environment("PMIX_NAMESPACE").value_or(""))) identity = srun_identity(environment);
  if (!identity) identity = mpirun_identity(environment);
  // MPICH's and Intel's mpiexec, whose daemons may be a step of Slurm.
  if (!identity && environment("MPI_LOCALRANKID")) identity = pmi_identity(environment);
  if (!identity) identity = pmix_identity(environment);
  if (!identity) identity = srun_identity(environment);
  if (!identity) identity = pmi_identity(environment);
  if (!identity) identity = foreign;
  return identity.value_or(LaunchIdentity{});
}

std::optional<Error> launch_error_before_mpi(const LaunchIdentity& identity, const PmiClients& clients,
                                             const std::string& mpi_version) {
  if (!identity.refusal.empty()) return Error(ExitCode::configuration, identity.refusal, Scope::every_rank);
  if (identity.launcher != Launcher::srun) return {};
  std::string why;
  if (identity.manager == ProcessManager::pmi2 && !clients.pmi2) {
    why = fmt::format(
        "srun started {} tasks with PMI2 (--mpi=pmi2, or MpiDefault in slurm.conf), but this MPI ({}) has "
        "no client of it: MPI_Init could only fail",
        identity.size, mpi_version);
  } else if (identity.manager == ProcessManager::none && !clients.pmi1) {  // Slurm serves PMI-1 without saying so
    why = fmt::format("srun started {} tasks but gave MPI ({}) no way to find each other, so each would train alone",
                      identity.size, mpi_version);
  }
  if (why.empty()) return {};
  return Error(ExitCode::configuration, fmt::format("{}; start with: {}", why, srun_command(identity.size)),
               Scope::every_rank);
}

std::optional<Error> launch_error_after_mpi(const LaunchIdentity& identity, int mpi_world_size,
                                            const std::string& mpi_version) {
  if (mpi_world_size > 1 || identity.size <= 1) return {};
  const std::string cure =
      identity.launcher == Launcher::srun
          ? "start with: " + srun_command(identity.size)
          : fmt::format(
                "start with the mpirun of that MPI (which mpirun; mpirun --version): mpirun -np {} build/train ...",
                identity.size);
  return Error(ExitCode::configuration,
               fmt::format("the launcher started {} processes, but MPI ({}) sees only this one: each would train alone "
                           "and write over the others; {}",
                           identity.size, mpi_version, cure),
               Scope::every_rank);
}

// Slurm and PBS number the tasks of an array as jobs. Grid Engine and LSF give all of them one number and a second one
// of their own, which is "undefined" or 0 if there is no array. JOB_ID alone says nothing: any program may use that
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

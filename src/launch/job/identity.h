#pragma once

#include <optional>
#include <string>

#include "base/environment.h"
#include "base/error.h"
#include "collective/mpi/mpi_library.h"

// This process's identity, as the launcher's environment variables give it. Pure, so that it can be tested without MPI.
namespace lockstep {

enum class Launcher {
  none,    // started by hand: a world of one, without MPI
  mpirun,  // Open MPI's
  pmi,     // another MPI's mpirun or mpiexec, or PMIx's prun
  srun,
  foreign,  // one that tells MPI nothing, launch/job/foreign_launch.h
};

// The interface by which MPI can find the other processes.
enum class ProcessManager { none, pmix, pmi2 };

struct LaunchIdentity {
  Launcher launcher = Launcher::none;
  int rank = 0;  // for messages before MPI reports the actual rank
  int size = 1;  // as the launcher says; rank + 1, the least possible, if it does not (PMIx's own)
  ProcessManager manager = ProcessManager::none;
  std::string refusal{};  // why a foreign launcher's process cannot train; else ""
};

// The innermost launcher counts: torchrun, wherever it was started itself, then mpirun or mpiexec, then srun. Variables
// of a foreign launcher that may have been set by hand count only if no launcher of MPI's is seen. The size of the
// job's allocation, SLURM_NTASKS or NSLOTS, does not say that this process is one of many, and is ignored. So is
// SLURM_PROCID if there is a rank of MPI's: under mpirun Slurm's variables belong to its daemon.
LaunchIdentity launch_identity(const Environment& environment);

// Before MPI_Init: the Error of a launch by a foreign launcher, or in which MPI could only fail or make every process a
// world of one; nothing for others. clients: those of this process's MPI library; mpi_version: its version, for the
// message.
std::optional<Error> launch_error_before_mpi(const LaunchIdentity& identity, const PmiClients& clients,
                                             const std::string& mpi_version);

// After MPI_Init: the Error of a launch of several processes that each see themselves alone, and would train the same
// model as many times; it gives the right command. Nothing for others.
std::optional<Error> launch_error_after_mpi(const LaunchIdentity& identity, int mpi_world_size,
                                            const std::string& mpi_version);

// The scheduler's name and number of this job: "slurm 1234", "sge 77", "sge 77.3" (a task of an array),
// "pbs 12.server", "lsf 5"; "" without a scheduler. Two tasks of an array differ; a job that is requeued or restarted
// keeps its id, which is how it knows its own old copy (lease/rules.h).
std::string scheduler_job_id(const Environment& environment);

}  // namespace lockstep

#pragma once

#include <optional>
#include <string>

#include "base/environment.h"

namespace lockstep {

// A process's place, as its launcher gives it in the environment, without calling MPI.
struct OwnProcess {
  std::string launcher;  // one of the variables that say so: "OMPI_COMM_WORLD_RANK"
  int rank = 0;
  int size = 1;
  int local_rank = 0;
  int local_size = 1;
  std::string host;  // "" if it does not say
};

// This process's place; nothing if no launcher started it as one of a job's: mpirun (Open MPI's, or one that speaks
// PMI) or srun. Under mpirun SLURM_PROCID and its like are those of Open MPI's daemons, and are not read. Pure. Throws
// Error of this rank, configuration, if the variables contradict each other.
std::optional<OwnProcess> own_process(const Environment& environment);

}  // namespace lockstep

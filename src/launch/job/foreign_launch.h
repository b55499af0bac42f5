#pragma once

#include <optional>
#include <string>

#include "base/environment.h"

namespace lockstep {

// A process that was started as one of several by a launcher that tells MPI nothing, and so would train alone.
struct ForeignLaunch {
  int rank = 0;
  int size = 1;
  std::string refusal;  // the launcher, the number of processes, the variables, and the command to type instead
};

// Reads the variables of torchrun, or of a script like it; of horovodrun, if it does not start mpirun itself (Gloo);
// and of SageMaker's containers. Nothing if they are not set, or say that there is no other process. Pure.
std::optional<ForeignLaunch> foreign_launch(const Environment& environment);

}  // namespace lockstep

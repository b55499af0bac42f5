#pragma once

#include <optional>
#include <string>

#include "base/environment.h"

namespace lockstep {

// A process that was started as one of several by a launcher that tells MPI nothing, and so would train alone.
struct ForeignLaunch {
  int rank = 0;
  int size = 1;
  std::string refusal;  // who started how many, by which variables, and the command to type instead
};

// By the variables of torchrun, or of a script like it; of horovodrun, where it does not start mpirun itself (Gloo); of
// SageMaker's containers. Nothing if they are not there, or say that there is no other process. Pure.
std::optional<ForeignLaunch> foreign_launch(const Environment& environment);

}  // namespace lockstep

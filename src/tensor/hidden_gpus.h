#pragma once

#include "base/environment.h"

namespace lockstep {

// Returns whether CUDA_VISIBLE_DEVICES is set to nothing: then the user wants no GPU, and need not be told that there
// is none.
bool hides_gpus(const Environment& environment);

}  // namespace lockstep

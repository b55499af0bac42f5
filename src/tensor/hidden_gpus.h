#pragma once

#include "base/environment.h"

namespace lockstep {

// Whether CUDA_VISIBLE_DEVICES is set, and to nothing: whoever did that wants no GPU, and need not be told that there
// is none.
bool hides_gpus(const Environment& environment);

}  // namespace lockstep

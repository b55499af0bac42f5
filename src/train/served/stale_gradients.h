#pragma once

#include <string>

#include "train/config/settings.h"

namespace lockstep {

// A warning for a run with parameter servers whose optimizer is known to learn badly from gradients of any age; "" if
// it is not, or if something bounds their age or adds them up. workers: ranks that train.
std::string warn_of_stale_gradients(const TrainSettings& settings, const std::string& optimizer, int workers);

}  // namespace lockstep

#pragma once

#include <string>

#include "train/config/settings.h"

namespace lockstep {

// A warning for a run with parameter servers whose optimizer is known to learn badly from old gradients, unless they
// are added up, or there can be none; "" for others. The age of gradients is more momentum: Mitliagkas, Zhang, Hadjis
// and Re 2016, "Asynchrony begets momentum". workers: ranks that train.
std::string warn_of_stale_gradients(const TrainSettings& settings, const std::string& optimizer, int workers);

}  // namespace lockstep

#pragma once

#include <string>

#include "train/config/settings.h"

namespace lockstep {

// A sentence, without its full stop, for a job that has failed through no fault of its command: what the same command
// would continue from. Reads checkpoint.json, which only some hosts may see.
std::string describe_restart(const TrainSettings& settings);

}  // namespace lockstep

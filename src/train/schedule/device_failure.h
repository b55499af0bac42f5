#pragma once

#include <string>

#include "tensor/device_error.h"
#include "train/config/settings.h"
#include "train/config/training_rank.h"

namespace lockstep {

// A message for a rank whose device has failed: the device, the step and the failure, what the same command would
// continue from, and where to look for the cause. Rank and host precede every message (launch/job/job.h). Reads
// checkpoint.json, which only some hosts may see. Local.
std::string describe_device_failure(const DeviceError& error, const TrainSettings& settings, const TrainingRank& rank);

}  // namespace lockstep

#pragma once

#include "launch/options.h"
#include "train/settings.h"

namespace lockstep {

// The run that the options ask for. What only the environment knows, job_id and usr_lib_sha256, is left empty.
TrainSettings settings_of(const TrainOptions& options);

}  // namespace lockstep

#pragma once

#include <span>

#include "launch/flags/command_line.h"

namespace lockstep {

// The flags of `train`: the rows of the table of settings (train/config/train_setting.h) as a command line and a help
// take them, with the defaults of TrainSettings.
std::span<const Flag> flags_from_settings();

}  // namespace lockstep

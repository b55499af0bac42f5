#pragma once

#include <string>

#include "train/config/train_setting.h"

namespace lockstep {

// A valid value of a setting that is not its default, as text: what a test of every row of the table gives it.
std::string another_value(const TrainSetting& setting);

}  // namespace lockstep

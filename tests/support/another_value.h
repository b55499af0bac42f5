#pragma once

#include <string>

#include "train/config/train_setting.h"

namespace lockstep {

// Returns a valid value of a setting, as text, that is not its default; for tests of every row of the table.
std::string another_value(const TrainSetting& setting);

}  // namespace lockstep

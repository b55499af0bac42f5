#pragma once

#include <string>
#include <string_view>

namespace lockstep {

// A Python name reduced for comparison: without the module in front, underscores and dashes, in small letters.
// "tf.distribute.MirroredStrategy" and "mirrored_strategy" are "mirroredstrategy". Pure.
std::string letters_of_python_name(std::string_view name);

}  // namespace lockstep

#pragma once

#include <span>

#include "launch/command_line.h"

namespace lockstep {

// All flags of `train`, by topic, with their defaults: what options.cc reads and --help prints.
std::span<const Flag> train_flags();

}  // namespace lockstep

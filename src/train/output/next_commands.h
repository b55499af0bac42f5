#pragma once

#include <string>
#include <vector>

#include "base/environment.h"
#include "train/config/settings.h"

namespace lockstep {

// Shell commands for the output_dir that a run has left: draw its curves, evaluate its model. evaluates: there is
// another split than the training split. programs: prefix of the programs' names. Pure.
std::vector<std::string> next_commands(const TrainSettings& settings, bool evaluates, const std::string& programs);

// The prefix of our programs' names in a shell: "build/" if this process is build/train; "" if they are on the PATH, or
// if no other program is in the same folder.
std::string programs_prefix(const Environment& environment);

}  // namespace lockstep

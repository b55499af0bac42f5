#pragma once

#include <string>
#include <vector>

#include "base/environment.h"
#include "train/config/settings.h"

namespace lockstep {

// Commands for a shell that go on with what a run has left in its output_dir: draw its curves, evaluate its model.
// evaluates: whether there is another split than the training split. programs: what to type before the
// programs' names. Pure.
std::vector<std::string> next_commands(const TrainSettings& settings, bool evaluates, const std::string& programs);

// What to type before the names of our programs: "build/" if this process is build/train; "" if they are on the PATH,
// or if no other program lies beside this one.
std::string programs_prefix(const Environment& environment);

}  // namespace lockstep

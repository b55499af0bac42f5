#pragma once

#include "base/environment.h"
#include "base/error.h"
#include "launch/flags/command_line.h"
#include "launch/standard_output.h"

namespace lockstep {

// `lockstep cluster --reader=NAME [--tf_config=JSON]`: prints what that reader finds in the environment's TF_CONFIG or
// in the JSON. Throws Error, configuration, with the reader's message if it refuses.
ExitCode translate_tf_config(const CommandLine& line, const Environment& environment, const Print& print);

}  // namespace lockstep

#pragma once

#include <span>
#include <string>

#include "base/error.h"
#include "launch/standard_output.h"

namespace lockstep {

// `lockstep average-checkpoints`: writes a checkpoint whose parameters are the mean of several files', by the flags of
// tensor2tensor's avg_checkpoints. args: after "average-checkpoints". Throws Error.
ExitCode average_checkpoints_command(std::span<const std::string> args, const Print& print);

}  // namespace lockstep

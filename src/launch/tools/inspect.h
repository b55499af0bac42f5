#pragma once

#include <span>
#include <string>

#include "base/error.h"
#include "launch/standard_output.h"

namespace lockstep {

// `lockstep inspect`: prints what a checkpoint holds, without a model or data. args: after "inspect". Throws Error.
ExitCode inspect(std::span<const std::string> args, const Print& print);

}  // namespace lockstep

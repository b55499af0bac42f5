#pragma once

#include <span>
#include <string>

#include "base/error.h"
#include "launch/standard_output.h"

namespace lockstep {

// `lockstep translate`: what Lockstep makes of tensor2tensor's ways to say things. args: after "translate". Throws
// Error.
ExitCode translate(std::span<const std::string> args, const Print& print);

}  // namespace lockstep

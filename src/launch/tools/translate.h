#pragma once

#include <span>
#include <string>

#include "base/error.h"
#include "launch/standard_output.h"

namespace lockstep {

// `lockstep translate`: what Lockstep makes of the ways in which tensor2tensor and Slurm say things. args: after
// "translate". Throws Error.
ExitCode translate(std::span<const std::string> args, const Print& print);

}  // namespace lockstep

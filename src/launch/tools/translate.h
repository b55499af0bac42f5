#pragma once

#include <span>
#include <string>

#include "base/environment.h"
#include "base/error.h"
#include "launch/standard_output.h"

namespace lockstep {

// The name that `lockstep cluster` was called by.
enum class CalledBy { name, old_name };

// `lockstep cluster`: shows how Lockstep reads what tensor2tensor, TensorFlow and launchers say. args: after the
// subcommand. warn: lines for the standard error. Throws Error.
ExitCode translate(std::span<const std::string> args, const Environment& environment, const Print& print,
                   const Print& warn, CalledBy called = CalledBy::name);

}  // namespace lockstep

#pragma once

#include <span>
#include <string>

#include "base/error.h"
#include "launch/standard_output.h"

namespace lockstep {

// `lockstep report`: shows the curves of one or more runs, as a page, as text or as JSON. args: after "report". Throws
// Error.
ExitCode report(std::span<const std::string> args, const Print& print);

}  // namespace lockstep

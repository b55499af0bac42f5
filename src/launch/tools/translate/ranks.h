#pragma once

#include <string>
#include <vector>

#include "base/environment.h"
#include "base/error.h"
#include "launch/flags/command_line.h"
#include "launch/standard_output.h"

namespace lockstep {

// `lockstep cluster --format=FORMAT` and `--explain`: prints the ranks that read_ranks() finds, in that format; a
// process within a job gets only its own part of a format that describes ranks, but all of one that starts a job. warn:
// lines for the standard error. Throws Error.
ExitCode translate_ranks(const CommandLine& line, const Environment& environment, const Print& print,
                         const Print& warn);

// The values of --format.
std::vector<std::string> rank_format_names();

}  // namespace lockstep

#pragma once

#include "base/environment.h"
#include "base/error.h"
#include "launch/flags/command_line.h"
#include "launch/standard_output.h"

namespace lockstep {

// `lockstep cluster --hostlist=... --tasks_per_node=...`: prints one of Slurm's lists, expanded, or for both the place
// of each rank. Throws Error.
ExitCode translate_slurm_lists(const CommandLine& line, const Environment& environment, const Print& print);

}  // namespace lockstep

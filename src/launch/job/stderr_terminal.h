#pragma once

#include <memory>
#include <string>

#include "base/environment.h"
#include "base/terminal.h"
#include "launch/job/identity.h"

namespace lockstep {

// The terminal on which the text that this process writes to `error_output` (STDERR_FILENO, except in tests) ends up:
// its own, or that of the mpirun that has started it on this host and passes on what comes through a pipe. Null if
// there is none, if TERM is unset or "dumb", or if in doubt: below srun, on hosts of a job other than mpirun's, and if
// mpirun has been told to put something before each line or to keep the output in files.
//
// parent: the folder of the process's parent in /proc.
std::unique_ptr<Terminal> stderr_terminal(int error_output, Launcher launcher, const Environment& environment,
                                          const std::string& parent);
// The terminal of this process's standard error.
std::unique_ptr<Terminal> stderr_terminal(Launcher launcher);

// The line of an error for the standard error, for use without a log; in the log's colour if `terminal`, which shows it
// (null: none does), has colours.
std::string error_line(const Terminal* terminal, const std::string& message);

}  // namespace lockstep

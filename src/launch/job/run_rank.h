#pragma once

#include <functional>

#include "launch/job/job.h"

namespace lockstep {

// Runs one rank of a job and turns its end into the process's exit code: the only place that catches. An error is
// printed once, with rank, host and cure, before any rank leaves; then all ranks end with its code within seconds.
// body: returns the code of the good path, done or stopped.
int run_rank(const std::function<ExitCode(Job&)>& body);

}  // namespace lockstep

#pragma once

#include <functional>

#include "launch/job/job.h"

namespace lockstep {

// Runs one rank of a job: the only place that ends it on an error, which is printed once, with rank, host and cure,
// before any rank leaves; then all ranks end with its code within seconds, and run_rank() does not return. body returns
// the code of the good path: done, stopped or ended_by_signal(). run_rank() returns what Job::finish() makes of it.
int run_rank(const std::function<ExitCode(Job&)>& body);

}  // namespace lockstep

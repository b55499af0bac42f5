#pragma once

#include <span>
#include <string>

#include "launch/job/job_plan.h"
#include "train/registry.h"

namespace lockstep {

// The SPMD program `train` on one rank: flags, launch, watchdog, training. As run_rank(), it returns on the good
// path only, with the process's exit code.
// args: without the program's name. builtin: what can be named by flags, besides what a --usr_lib adds. planner: who is
// which rank.
int run_train_program(std::span<const std::string> args, const Registry& builtin,
                      const JobPlanner& planner = plan_workers);

}  // namespace lockstep

#pragma once

#include <span>
#include <string>

#include "launch/job/job_plan.h"
#include "train/registry/registry.h"

namespace lockstep {

// The SPMD program `train` on one rank: flags, launch, watchdog, training. Like run_rank(), it returns on the good path
// only, with the process's exit code. args: without the program's name. builtin: the entries that flags can name,
// without those of a --usr_lib. planner: assigns the ranks if neither a cluster nor flags do.
int run_train_program(std::span<const std::string> args, const Registry& builtin,
                      const JobPlanner& planner = plan_workers);

}  // namespace lockstep

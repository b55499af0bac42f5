#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "launch/job/job_plan.h"
#include "train/config/settings.h"

namespace lockstep {

// The roles by process, in the launcher's order.
struct StartRoles {
  std::vector<RankPlan> ranks;
  std::vector<std::int64_t> worker_ids;  // T2T's numbers of the training tasks, 0 for the chief's; -1: none
};

// The roles of a job that only T2T's launch flags describe: --worker_replicas and --worker_gpu have to be the number of
// ranks; with --sync the --ps_replicas tasks compute, and the first rank leads them, with a share of the data if
// --worker_gpu says so. A flag with its default value says nothing, as if it were not given. Flags that say nothing
// leave the plan to `otherwise`. Pure. flags: those of the whole job. Throws Error of every rank, configuration, with
// the flags, the number of ranks and the command that has as many.
StartRoles plan_by_flags(const TrainSettings& flags, std::span<const ProcessFacts> processes,
                         const JobPlanner& otherwise);

}  // namespace lockstep

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

// The roles of a job that only T2T's launch flags describe. Without --ps_replicas `otherwise` makes the plan, and
// --worker_replicas times --worker_gpu has to be the number of ranks, or --worker_gpu alone to divide it. With --sync
// the --ps_replicas tasks compute, and the first rank leads them, with a share of the data if --worker_gpu says so. A
// flag with its default value says nothing. Pure. flags: those of the whole job. Throws Error of every rank,
// configuration, with the flags, and the command that starts as many ranks as they need.
StartRoles plan_by_flags(const TrainSettings& flags, std::span<const ProcessFacts> processes,
                         const JobPlanner& otherwise);

}  // namespace lockstep

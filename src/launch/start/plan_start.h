#pragma once

#include <span>
#include <string>
#include <vector>

#include "launch/flags/merge_flags.h"
#include "launch/job/job_plan.h"
#include "train/strategy/strategy_name.h"

namespace lockstep {

// What is decided of a job before its world is formed. By process, in the launcher's order.
struct StartPlan {
  std::vector<RankPlan> ranks;
  std::vector<GivenFlags> flags;  // that hold for the process
  JobReach reach;                 // of the world that trains
  std::vector<std::string> warnings;
};

// From the facts of all processes, whose statements are those of launch/start/process_statement.h and whose
// descriptions are clusters (launch/start/stated_cluster.h): which process is which rank, and with which flags. The
// first rank is the chief. otherwise: for a job of which neither a cluster nor a flag says more than the launcher.
// Pure. Throws Error of every rank, configuration.
// strategies: those that there are without a user's library.
StartPlan plan_start(std::span<const ProcessFacts> processes, const JobPlanner& otherwise,
                     const Table<StrategyKind>& strategies);

}  // namespace lockstep

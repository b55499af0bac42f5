#pragma once

#include <span>
#include <string>
#include <vector>

#include "launch/flags/merge_flags.h"
#include "launch/job/job_plan.h"
#include "train/strategy/strategy_name.h"

namespace lockstep {

// Decisions about a job before its world is formed; ranks and flags are by process, in the launcher's order.
struct StartPlan {
  std::vector<RankPlan> ranks;
  std::vector<GivenFlags> flags;  // the flags that hold for each process
  JobReach reach;                 // size of the world that trains
  bool has_windows = true;        // each of its processes starts MPI for windows with parameter servers
  std::vector<std::string> warnings;
};

// Decides which process is which rank, and with which flags, from the facts of all processes: their statements are
// those of launch/start/process_statement.h, their descriptions are clusters (launch/start/stated_cluster.h). The first
// rank is the chief. Roles that require a strategy give it to the ranks that train, and none is a parameter server
// where nothing is trained. otherwise: for a job about which neither a cluster nor a flag says more than the launcher.
// Pure. Throws Error of every rank: configuration, and usage as check_evaluator() does. strategies: those that exist
// without a user's library.
StartPlan plan_start(std::span<const ProcessFacts> processes, const JobPlanner& otherwise,
                     const Table<StrategyKind>& strategies);

}  // namespace lockstep

#pragma once

#include <span>

#include "base/table.h"
#include "launch/cluster/cluster_plan.h"
#include "launch/start/process_statement.h"
#include "train/config/settings.h"
#include "train/strategy/strategy_kind.h"

namespace lockstep {

// The flags that decide the roles of a job, one value of each: the chief is not known yet. The leading process's counts
// (launch/start/plan_by_cluster.h), else any other's, except that --worker_gpu and --ps_gpu may differ between tasks.
// Its file of flags counts for --strategy, --schedule, --ps_apply, --ps_transport and --on_worker_loss, which the
// config.json of a run repeats. In a job that trains nothing nobody holds parameters for others: the flags that ask for
// parameter servers are left out. Pure.
TrainSettings launch_flags(std::span<const ProcessStatement> statements);

// Returns whether the schedule trains.
bool trains(const TrainSettings& flags);

// The same flags for a cluster. strategies: those that exist without a user's library.
ClusterFlags cluster_flags(const TrainSettings& flags, const Table<StrategyKind>& strategies);

}  // namespace lockstep

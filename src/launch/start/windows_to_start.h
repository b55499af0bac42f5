#pragma once

#include <string>

#include "base/table.h"
#include "collective/mpi/mpi_environment.h"
#include "launch/start/process_statement.h"
#include "train/strategy/strategy_kind.h"

namespace lockstep {

// The windows for which a process of `train` starts MPI, by what it knows before: its own flags, its cluster, and
// whether the launcher says that all processes are on this host. None, unless the job seems to have parameter servers
// and --ps_transport allows windows between its hosts: auto takes them on one host only, but for
// --ps_apply=accumulate, which needs one. Pure. cluster: as JSON
// (launch/start/stated_cluster.h); "" = none. strategies: those that exist without a user's library.
Windows windows_to_start(const ProcessStatement& own, const std::string& cluster, bool all_on_this_host,
                         const Table<StrategyKind>& strategies);

// Returns whether a process of `train`, by its own flags, starts MPI for a job that goes on without ranks that it has
// lost. Windows are not for such a job. Pure.
bool outlives_ranks(const ProcessStatement& own);

}  // namespace lockstep

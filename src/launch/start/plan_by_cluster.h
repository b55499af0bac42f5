#pragma once

#include <span>
#include <string>
#include <vector>

#include "launch/cluster/cluster_plan.h"
#include "launch/job/job_plan.h"
#include "launch/start/plan_by_flags.h"
#include "launch/start/process_statement.h"

namespace lockstep {

// Returns whether a process describes the job's cluster.
bool has_cluster(std::span<const ProcessFacts> processes);

// The roles of a job whose processes know of a cluster: their descriptions are merged, the flags are checked against
// the cluster, and its tasks are matched to the processes. Adds the warnings of plan_cluster() and place_tasks(). Pure.
// REQUIRES: has_cluster(). Throws Error of every rank, configuration.
StartRoles plan_by_cluster(std::span<const ProcessFacts> processes, std::span<const ProcessStatement> statements,
                           const ClusterFlags& flags, std::vector<std::string>& warnings);

// T2T's number of a task among those that train: 0 for the chief or master, then the workers by index, from 0 if there
// is neither; -1 for any other task. has_chief: the cluster has a chief or master.
std::int64_t worker_id(const TaskName& task, bool has_chief);

// The process that says it is the chief or the master, else worker 0, else the first: its flags count before the chief
// is known.
std::size_t leading_process(std::span<const ProcessStatement> statements);

}  // namespace lockstep

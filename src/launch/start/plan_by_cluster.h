#pragma once

#include <span>
#include <string>
#include <vector>

#include "launch/cluster/cluster_plan.h"
#include "launch/job/job_plan.h"
#include "launch/start/plan_by_flags.h"
#include "launch/start/process_statement.h"

namespace lockstep {

// Whether a process says what the job's cluster is.
bool has_cluster(std::span<const ProcessFacts> processes);

// The roles of a job whose processes know of a cluster: what they were told is put together, the flags are checked
// against it, and its tasks are matched to the processes. Adds to warnings what was guessed. Pure. REQUIRES:
// has_cluster(). Throws Error of every rank, configuration.
StartRoles plan_by_cluster(std::span<const ProcessFacts> processes, std::span<const ProcessStatement> statements,
                           const ClusterFlags& flags, std::vector<std::string>& warnings);

// T2T's number of a task among those that train: 0 of the chief or master, and the others after it; -1 of another task.
std::int64_t worker_id(const TaskName& task, bool has_chief);

// The process that says it is the chief or the master, else worker 0, else the first: for flags of which there has to
// be one before it is known who is the chief.
std::size_t leading_process(std::span<const ProcessStatement> statements);

}  // namespace lockstep

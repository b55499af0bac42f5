#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "launch/cluster/cluster_plan.h"
#include "launch/job/job_plan.h"

namespace lockstep {

// Facts about a launcher's process by which the cluster's tasks are matched to processes.
struct ClusterProcess {
  std::vector<std::string> host_names;  // in short, in full, and as numeric addresses; the first is for messages
  int gpus = 0;                         // visible to the process
  std::optional<TaskName> task{};       // as its own TF_CONFIG or flags say
  std::optional<int> ranks{};           // of its task, as its own --worker_gpu or --ps_gpu says
};

struct PlacedProcess {
  RankPlan plan;
  TaskName task;
  int index_in_task = 0;  // of several ranks of a task: also the GPU's index among those that the task sees
};

struct TaskPlacement {
  std::vector<PlacedProcess> processes;  // in the launcher's order
  std::vector<std::string> warnings;     // guesses made in matching tasks
};

// Assigns the tasks of the cluster to processes, and orders them into the world. The ranks of a task follow each other.
// Evaluators form a world of their own. Pure; every process computes the same plan, and a shuffled order of processes
// gives the same roles to the same hosts.
//
//   own task   a process that names its task is that task. An evaluator that the plan does not have is added. If all
//              name the same one of several tasks, that is one TF_CONFIG for all, and says nothing. If all are
//              evaluators, the others of the cluster run elsewhere.
//   by host    the other tasks take the other processes on the host of their address, in the launcher's order
//   by order   tasks whose address is a loopback one, empty or outside the cluster take what is left; and so do all
//              if no process runs on a host of the cluster, which is said in a warning
//
// A plan without tasks gives plan_workers(), as ranks of worker 0.
//
// Throws Error of every rank, configuration, for a task without a process, a process without a task, a task with more
// or fewer processes than it has ranks, or a host that cannot be told apart; it names task, address, hosts and the
// cure. O(n log n).
TaskPlacement place_tasks(const ClusterPlan& cluster, std::span<const ClusterProcess> processes);

}  // namespace lockstep

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
  int gpus = 0;                         // number visible to the process
  std::optional<TaskName> task{};       // the one that its own TF_CONFIG or flags name
  std::optional<int> ranks{};           // ranks of its task, as its own --worker_gpu or --ps_gpu says
};

struct PlacedProcess {
  RankPlan plan;
  TaskName task;
  int index_in_task = 0;  // also the index of its GPU among those that the task sees
};

struct TaskPlacement {
  std::vector<PlacedProcess> processes;  // in the launcher's order
  std::vector<std::string> warnings;     // guesses made in matching tasks
};

// Assigns the tasks of the cluster to processes, and orders these into the world. The ranks of a task follow each
// other. Evaluators form a world of their own. Pure; every process computes the same plan, and a shuffled order of
// processes gives the same roles to the same hosts, unless tasks are matched by order.
//
//   own task   a process that names its task is that task. An evaluator that the plan does not have is added. If all
//              name the same one of several tasks, that is one TF_CONFIG for all, and says nothing. If all are
//              evaluators, the other tasks of the cluster run elsewhere.
//   by host    tasks that lack processes take the free ones on the host of their address, in the launcher's order
//   by order   tasks whose address is a loopback one, empty or outside the cluster take what is left; and so do all
//              if no process runs on a host of the cluster, which is said in a warning
//
// A plan without tasks gives plan_workers(), as ranks of worker 0.
//
// Throws Error of every rank, configuration, for a task without a process, a process without a task or with one that
// the cluster lacks, a task with more or fewer processes than ranks, processes that disagree on its ranks, or a host
// that cannot be told apart; the message names task, address, hosts and the cure. O(n log n).
TaskPlacement place_tasks(const ClusterPlan& cluster, std::span<const ClusterProcess> processes);

}  // namespace lockstep

#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "launch/cluster/place_tasks.h"

// The two halves of place_tasks() before ranks are numbered: matching of processes to tasks, and the check that this
// can work. Pure.
namespace lockstep {

// A task and its processes, by their numbers in the launcher's order.
struct TaskMatch {
  PlannedTask task;
  std::vector<std::size_t> processes;
  std::optional<int> given{};  // number of ranks, as a flag says
  int ranks = 0;               // number of processes it should have; 0: unknown, as it has none
};

struct TaskMatches {
  std::vector<TaskMatch> tasks;  // in world order
  std::vector<std::string> warnings;
};

// Matches as place_tasks() says. REQUIRES: the plan has tasks, or a process evaluates. Throws for a task that the
// cluster does not have, for processes that disagree on a task's ranks, and for hosts that cannot be told apart.
TaskMatches match_tasks(const ClusterPlan& cluster, std::span<const ClusterProcess> processes);

// Throws unless each task has as many processes as ranks and each process a task.
void check_matches(std::span<const TaskMatch> tasks, std::span<const ClusterProcess> processes);

// Returns whether the process says that it is an evaluator.
bool is_evaluator(const ClusterProcess& process);

// The name of its host for messages: "h1".
std::string host_for_messages(const ClusterProcess& process);

}  // namespace lockstep

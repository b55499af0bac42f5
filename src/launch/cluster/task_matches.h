#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "launch/cluster/place_tasks.h"

// The two halves of place_tasks() before ranks are numbered: who is which task, and whether that can work. Pure.
namespace lockstep {

// A task and its processes, by their numbers in the launcher's order.
struct TaskMatch {
  PlannedTask task;
  std::vector<std::size_t> processes;
  std::optional<int> given{};  // ranks, as a flag says
  int ranks = 0;               // how many processes it should have; 0: there is none to tell
};

struct TaskMatches {
  std::vector<TaskMatch> tasks;  // in world order
  std::vector<std::string> warnings;
};

// As place_tasks() says. REQUIRES: the plan has tasks. Throws for a task that the cluster does not have, and for hosts
// that cannot be told apart.
TaskMatches match_tasks(const ClusterPlan& cluster, std::span<const ClusterProcess> processes);

// Throws unless each task has as many processes as ranks and each process a task.
void check_matches(std::span<const TaskMatch> tasks, std::span<const ClusterProcess> processes);

// Whether it says that it is one.
bool is_evaluator(const ClusterProcess& process);

// "h1", for messages.
std::string host_for_messages(const ClusterProcess& process);

}  // namespace lockstep

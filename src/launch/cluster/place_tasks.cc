#include "launch/cluster/place_tasks.h"

#include <algorithm>
#include <array>
#include <utility>

#include "launch/cluster/task_matches.h"

namespace lockstep {
namespace {

constexpr int kTrainers = 0;  // the colors of the two worlds
constexpr int kEvaluators = 1;

// The placement for a cluster without tasks.
TaskPlacement place_without_cluster(std::span<const ClusterProcess> processes) {
  TaskPlacement placement;
  const std::vector<ProcessFacts> facts(processes.size());
  for (const RankPlan& plan : plan_workers(facts)) {
    const int index = static_cast<int>(placement.processes.size());
    placement.processes.push_back({.plan = plan, .task = {"worker", 0}, .index_in_task = index});
  }
  return placement;
}

// Numbers the ranks, task by task in world order.
class RankNumbers {
 public:
  // index: of the rank in its task.
  RankPlan next(const TaskMatch& task, int index) {
    RankPlan plan;
    plan.role = role_of(task.task, index);
    plan.index = counts_[static_cast<std::size_t>(plan.role)]++;
    plan.color = plan.role == Role::evaluator ? kEvaluators : kTrainers;
    plan.key = next_key_++;
    const bool leads_only = task.task.leads_only && task.given.value_or(0) == 0;
    plan.has_shares = plan.role != Role::parameter_server && !leads_only;
    return plan;
  }

 private:
  int next_key_ = 0;
  std::array<int, std::size_t{1} + static_cast<std::size_t>(Role::evaluator)> counts_{};
};

}  // namespace

TaskPlacement place_tasks(const ClusterPlan& cluster, std::span<const ClusterProcess> processes) {
  if (cluster.tasks.empty() && std::ranges::none_of(processes, is_evaluator)) return place_without_cluster(processes);
  TaskMatches matches = match_tasks(cluster, processes);
  check_matches(matches.tasks, processes);
  TaskPlacement placement{.processes = std::vector<PlacedProcess>(processes.size()),
                          .warnings = std::move(matches.warnings)};
  RankNumbers numbers;
  for (const TaskMatch& task : matches.tasks) {
    int index = 0;
    for (const std::size_t process : task.processes) {
      placement.processes[process] = {
          .plan = numbers.next(task, index), .task = task.task.task, .index_in_task = index};
      ++index;
    }
  }
  return placement;
}

}  // namespace lockstep

#include "launch/cluster/lockstep_reader.h"

#include <algorithm>
#include <cstdint>
#include <string>

namespace lockstep {
namespace {

// A task's place, in its own world.
struct Place {
  std::int64_t rank = 0;
  std::int64_t world_size = 0;
  std::int64_t number = 0;  // among the tasks of its world
  bool is_known = false;
  Role role = Role::worker;
};

Place place_of(const ClusterPlan& plan, const TaskName& task) {
  const auto mine = std::ranges::find(plan.tasks, task, &PlannedTask::task);
  if (mine == plan.tasks.end()) return {};
  Place place{.is_known = true, .role = mine->role};
  for (auto other = plan.tasks.begin(); other != plan.tasks.end(); ++other) {
    if ((other->role == Role::evaluator) != (mine->role == Role::evaluator)) continue;
    const int ranks = ranks_of(*other, other->ranks, 0);
    place.world_size += ranks;
    if (other >= mine) continue;
    place.rank += ranks;
    ++place.number;
  }
  return place;
}

std::int64_t count(const ClusterSpec& cluster, const char* job) {
  return static_cast<std::int64_t>(cluster.tasks_of(job));
}

}  // namespace

Json::Object read_as_lockstep(const std::optional<TfConfig>& config, const ClusterFlags& flags) {
  const TfConfig read = config.value_or(TfConfig{});
  const ClusterPlan plan = plan_cluster(read, flags);
  const bool is_alone = plan.tasks.empty();
  const std::optional<TaskName> task = is_alone ? TaskName{"worker", 0} : read.task;
  const Place place = is_alone ? Place{.world_size = 1, .is_known = true, .role = Role::chief}
                      : task   ? place_of(plan, *task)
                               : Place{};
  const auto if_known = [&place](Json value) { return place.is_known ? std::move(value) : Json(); };

  Json::Array warnings(read.warnings.begin(), read.warnings.end());
  warnings.insert(warnings.end(), plan.warnings.begin(), plan.warnings.end());
  const ClusterSpec& cluster = read.cluster;
  return {{"role", task ? Json(task->job) : Json()},
          {"task_id", task ? Json(task->index) : Json()},
          {"is_chief", if_known(place.role == Role::chief)},
          {"num_workers",
           is_alone ? std::int64_t{1} : count(cluster, "chief") + count(cluster, "master") + count(cluster, "worker")},
          {"num_ps", count(cluster, "ps")},
          {"id_in_cluster", place.role == Role::evaluator ? Json() : if_known(place.number)},
          {"master", Json()},
          {"cluster", to_json(cluster)},
          {"device_filters", Json()},
          {"rank", if_known(place.rank)},
          {"world_size", if_known(place.world_size)},
          {"warnings", std::move(warnings)}};
}

}  // namespace lockstep

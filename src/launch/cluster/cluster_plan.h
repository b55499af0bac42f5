#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/role.h"
#include "launch/cluster/tf_config.h"

// From a cluster in TensorFlow's terms to roles in ours. Pure.
namespace lockstep {

// What T2T's launch flags say of the whole job; nothing where a flag was not given.
struct ClusterFlags {
  bool sync = false;                     // --sync: parameter server tasks compute
  std::optional<int> worker_replicas{};  // checked against the cluster
  std::optional<int> ps_replicas{};
  std::optional<int> worker_gpu{};  // ranks of a task, where its processes do not say
  std::optional<int> ps_gpu{};
  std::string strategy{};  // an explicit --strategy
};

// One task, in world order: chief, workers by index, parameter servers, evaluators last.
struct PlannedTask {
  TaskName task;
  std::string address;  // "" for a task outside the cluster
  Role role = Role::worker;
  bool computes = true;        // false: a master that leads and saves, and has no share of the data unless --worker_gpu
                               // gives it replicas
  std::optional<int> ranks{};  // as a flag says; nothing: as many as the GPUs it sees, one without
};

struct ClusterPlan {
  std::vector<PlannedTask> tasks;
  std::vector<std::string> warnings;  // "worker 0 is the chief, ..."
};

// Throws Error of every rank, configuration: no chief can be found, two of them, ps tasks with nothing to serve, flags
// that contradict the cluster, a strategy that there is not.
ClusterPlan plan_cluster(const TfConfig& config, const ClusterFlags& flags);

}  // namespace lockstep

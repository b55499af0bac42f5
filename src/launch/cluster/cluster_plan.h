#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/role.h"
#include "launch/cluster/tf_config.h"

// Translation of a cluster in TensorFlow's terms into our roles. Pure.
namespace lockstep {

// T2T's launch flags about the whole job; nothing if a flag was not given.
struct ClusterFlags {
  std::optional<bool> sync{};            // --sync: parameter server tasks compute; --nosync: they are servers
  std::optional<int> worker_replicas{};  // number of leader and workers, checked against the cluster
  std::optional<int> ps_replicas{};      // number of ps tasks, checked against the cluster
  std::optional<int> worker_gpu{};       // ranks of a task whose processes do not say
  std::optional<int> ps_gpu{};
  std::string strategy{};          // an explicit --strategy, by our name
  std::string strategy_written{};  // the same as it was given, for messages
};

// A task of a ClusterPlan.
struct PlannedTask {
  TaskName task{};
  std::string address{};  // "" for a task outside the cluster
  Role role = Role::worker;
  // True if the task leads, saves and logs, and computes only with replicas of its own: then --worker_gpu=0, or no
  // --worker_gpu, makes it one rank without a share of the data.
  bool leads_only = false;
  std::optional<int> ranks{};  // as a flag says (0: one, without a GPU), 1 for a parameter server; nothing: ranks_of()
};

// Number of ranks of a task, at least one: `ranks` (of a flag), else one if it leads only, else the GPUs that it sees.
int ranks_of(const PlannedTask& task, std::optional<int> ranks, int gpus);

// The role of rank number `index` of a task: the task's, but in the chief's task only the first rank is the chief, and
// the others are workers.
Role role_of(const PlannedTask& task, int index);

struct ClusterPlan {
  // In world order: the leader, workers by index, parameter servers, evaluators. None if the cluster has no tasks: the
  // processes are those that were started.
  std::vector<PlannedTask> tasks;
  std::string strategy{};             // the one that the roles require: kParameterServer; "" for any
  std::vector<std::string> warnings;  // "worker 0 is the chief, ..."
};

// The leader is the chief or the master; if there is neither, the first worker. Then
//
//   no ps tasks                                  leader and workers compute, under any strategy but parameter_server
//   ps tasks, no workers beside the leader, and  the ps tasks compute, under any strategy but parameter_server; the
//   --sync, or a master without --nosync         leader leads only. Without --sync a warning says so
//   ps tasks otherwise                           they hold the parameters: parameter_server, and no other strategy;
//                                                --sync, by which they would compute beside workers, is refused
//                                                without --strategy=parameter_server
//
// Evaluators are those of the cluster, and the process's own task if it is an evaluator outside the cluster; a cluster
// may consist of evaluators alone. T2T's numbers must agree with the cluster: --worker_replicas counts the leader (and
// no ps task, even if those compute), --ps_replicas the ps tasks.
//
// Throws Error of every rank, configuration: no leader or two of them, a job without a role here, flags that contradict
// the cluster.
ClusterPlan plan_cluster(const TfConfig& config, const ClusterFlags& flags);

}  // namespace lockstep

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/role.h"
#include "launch/cluster/tf_config.h"

// Translation of a cluster in TensorFlow's terms into our roles. Pure.
namespace lockstep {

// The strategy that ps tasks require if they do not compute.
inline constexpr const char* kParameterServer = "parameter_server";

// T2T's launch flags about the whole job; nothing if a flag was not given.
struct ClusterFlags {
  std::optional<bool> sync{};            // --sync: parameter server tasks compute; --nosync: they are servers
  std::optional<int> worker_replicas{};  // checked against the cluster
  std::optional<int> ps_replicas{};
  std::optional<int> worker_gpu{};  // ranks of a task, if its processes do not say
  std::optional<int> ps_gpu{};
  std::string strategy{};          // an explicit --strategy, by our name
  std::string strategy_written{};  // the same as it was given, for messages
  // True if the strategy kParameterServer exists; otherwise a cluster that requires it is refused.
  bool has_parameter_server = false;
};

// One task, in world order: the leader, workers by index, parameter servers, evaluators last.
struct PlannedTask {
  TaskName task{};
  std::string address{};  // "" for a task outside the cluster
  Role role = Role::worker;
  // True if the task leads, saves and logs, and computes only with replicas of its own: then --worker_gpu=0, or none
  // given, makes it one rank without a share of the data.
  bool leads_only = false;
  std::optional<int> ranks{};  // as a flag says (0: no GPU); nothing: as many as the GPUs it sees, one without
};

// Number of ranks of a task: `ranks` as a flag says, else the number of GPUs that it sees; at least one.
int ranks_of(const PlannedTask& task, std::optional<int> ranks, int gpus);

// The role of one rank of a task: the chief is the first rank of its task, the others are workers like those of other
// tasks.
Role role_of(const PlannedTask& task, int index);

struct ClusterPlan {
  std::vector<PlannedTask> tasks;     // none: the cluster has no tasks, and the processes are those that were started
  std::string strategy{};             // required by the roles: kParameterServer; "" for any
  std::vector<std::string> warnings;  // "worker 0 is the chief, ..."
};

// The leader is the chief or the master; if there is neither, worker 0. Then
//
//   no ps tasks                                  leader and workers compute
//   ps tasks, no workers beside the leader, and  the ps tasks compute, under any strategy but parameter_server; the
//   --sync, or a master without --nosync         leader leads only. Without --sync a warning says so
//   ps tasks otherwise                           they hold the parameters: parameter_server, and no other strategy;
//                                                --sync, by which they would compute beside workers, contradicts it
//
// Evaluators are those of the cluster, and the process's own task if it is an evaluator outside the cluster; a cluster
// may consist of evaluators alone. T2T's numbers must agree with the cluster: --worker_replicas counts the leader (and
// no ps task, even if those compute), --ps_replicas the ps tasks.
//
// Throws Error of every rank, configuration: no leader can be found, a job without a role here, flags that contradict
// the cluster, a strategy that does not exist.
ClusterPlan plan_cluster(const TfConfig& config, const ClusterFlags& flags);

}  // namespace lockstep

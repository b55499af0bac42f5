#pragma once

#include <optional>
#include <span>
#include <string>

#include "launch/cluster/tf_config.h"

// A process may be told of its cluster in several ways (TF_CONFIG, flags, Gradient's variables), and the processes of a
// job in different ones. Pure.
namespace lockstep {

struct ClusterDescription {
  std::string source;  // for messages: "TF_CONFIG", "--worker_hosts", "process 3 on h2"
  TfConfig config;
};

// Combines what one process was told; nothing if it was told nothing. One description may name the cluster and another
// the task. Throws Error of this rank, configuration, if two of them contradict each other, with both sources and
// values, or if the task is neither in the cluster nor an evaluator.
std::optional<TfConfig> agreed_description(std::span<const ClusterDescription> descriptions);

// The sources of the descriptions: "TF_CONFIG, PS_CONFIG".
std::string sources_of(std::span<const ClusterDescription> descriptions);

// Checks a process that was told its task but no cluster: an evaluator may be alone, and so may the first task of a
// training job, as in scripts that are tried out on one machine; any other is refused. agreed: agreed_description() of
// the descriptions. Throws Error of this rank, configuration.
void check_alone(const TfConfig& agreed, std::span<const ClusterDescription> descriptions);

// Merges the clusters that the processes of a job were told: all tasks that any of them names (maps may be sparse).
// Throws Error of every rank, configuration, if two name different addresses for a task. Costs as much as all clusters
// together: pass each of them once, not once for each process.
ClusterSpec merged_cluster(std::span<const ClusterDescription> descriptions);

}  // namespace lockstep

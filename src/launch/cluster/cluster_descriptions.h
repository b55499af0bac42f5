#pragma once

#include <optional>
#include <span>
#include <string>

#include "launch/cluster/tf_config.h"

// A process may be told of its cluster in several ways (TF_CONFIG, flags, Gradient's variables), and each process of a
// job in its own. Pure.
namespace lockstep {

struct ClusterDescription {
  std::string source;  // for messages: "TF_CONFIG", "--worker_hosts", "process 3 on h2"
  TfConfig config;
};

// What one process was told, as one; nothing if it was told nothing. One description may name the cluster and another
// the task. Throws Error of this rank, configuration: two of them contradict each other, whom it names with both
// values; or the task is not in the cluster.
std::optional<TfConfig> agreed_description(std::span<const ClusterDescription> descriptions);

// Where the descriptions were told: "TF_CONFIG, PS_CONFIG".
std::string sources_of(std::span<const ClusterDescription> descriptions);

// Of a process that was told its task and no cluster: an evaluator may be by itself, and so may the first task of a job
// that trains, as in scripts that are tried out on one machine; any other has lost its cluster. agreed: of the
// descriptions. Throws Error of this rank, configuration.
void check_alone(const TfConfig& agreed, std::span<const ClusterDescription> descriptions);

// What the processes of a job were told, as one cluster: all tasks that one of them names (maps may be sparse). Throws
// Error of every rank, configuration, if two name different addresses for a task. Costs as much as all clusters
// together: give each of them once, not once for each process.
ClusterSpec merged_cluster(std::span<const ClusterDescription> descriptions);

}  // namespace lockstep

#pragma once

#include <optional>

#include "base/environment.h"
#include "launch/cluster/cluster_plan.h"
#include "launch/flags/command_line.h"

// The flags of `lockstep cluster` that describe a cluster in TensorFlow's terms, which train takes as well.
namespace lockstep {

// The flags that train has: rows of its table of settings. --tf_config is a flag of lockstep cluster alone.
inline constexpr const char* kClusterFlags[] = {"sync",     "worker_replicas", "worker_gpu", "ps_replicas", "ps_gpu",
                                                "ps_hosts", "worker_hosts",    "job_name",   "task_index"};

// The cluster that TF_CONFIG (or --tf_config), Gradient's or Vertex AI's variables and the classic flags describe;
// nothing if none of them is there. Throws Error: usage for a wrong flag, configuration for other text that cannot be
// read, if they contradict each other, and as check_alone() does.
std::optional<TfConfig> told_cluster(const CommandLine& line, const Environment& environment);

// T2T's launch flags on the command line.
ClusterFlags cluster_flags(const CommandLine& line);

}  // namespace lockstep

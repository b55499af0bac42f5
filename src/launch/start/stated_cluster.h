#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/environment.h"
#include "launch/cluster/cluster_spec.h"
#include "train/config/settings.h"

namespace lockstep {

// The cluster as a process was told of it, before it talks to others.
struct StatedCluster {
  // The cluster without the process's place in it, as JSON; "" = it was told nothing. An evaluator's may have no tasks.
  std::string description;
  std::optional<TaskName> task{};  // the process's place in it
  std::string told_by{};           // the sources: "TF_CONFIG, --job_name"
  std::vector<std::string> warnings{};
  std::string refusal{};     // why the description cannot be used; "" = it can
  std::string output_dir{};  // folder of a run without --output_dir; "" = none
};

// Reads TF_CONFIG, --worker_hosts and --ps_hosts, and the variables of Gradient or Vertex AI; an empty TF_CONFIG counts
// as none. Throws Error of every rank, usage, for flags that are wrong whatever the others are.
StatedCluster stated_cluster(const TrainSettings& flags, const Environment& environment);

// The cluster of a description. Throws Error, internal, for anything else.
ClusterSpec described_cluster(const std::string& description);

}  // namespace lockstep

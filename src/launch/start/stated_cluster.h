#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/environment.h"
#include "launch/cluster/cluster_spec.h"
#include "train/config/settings.h"

namespace lockstep {

// What a process was told of its cluster, before it talks to others.
struct StatedCluster {
  // The cluster without the process's place in it, as JSON; "" = it was told nothing. An evaluator's may have no tasks.
  std::string description;
  std::optional<TaskName> task{};  // that place
  std::string told_by{};           // by what: "TF_CONFIG, --job_name"
  std::vector<std::string> warnings{};
  std::string refusal{};     // why it cannot be used; "" = it can
  std::string output_dir{};  // where a run without --output_dir lies; "" = nowhere
};

// By TF_CONFIG, --worker_hosts and --ps_hosts, or the variables of Gradient or Vertex AI; a TF_CONFIG that is empty is
// none. Throws Error of every rank, usage, for flags that are wrong whatever the others are.
StatedCluster stated_cluster(const TrainSettings& flags, const Environment& environment);

// The cluster of a description. Throws Error, internal, for anything else.
ClusterSpec described_cluster(const std::string& description);

}  // namespace lockstep

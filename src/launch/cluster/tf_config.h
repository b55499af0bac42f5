#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "launch/cluster/cluster_spec.h"

namespace lockstep {

// The value of TF_CONFIG, as TensorFlow's programs and the operators of clusters write it.
struct TfConfig {
  ClusterSpec cluster;           // without jobs: this process is alone
  std::optional<TaskName> task;  // which of them this process is; it may stand outside the cluster (an evaluator)
  std::string environment;       // "cloud", "local", "google"; "" if not given
  // Where TensorFlow's own readers disagree, which of them would say what (the table of docs/from_tensorflow.md).
  std::vector<std::string> warnings;
};

// Reads the text strictly: what the estimator's reader and tf.distribute's both take is taken, what both refuse is
// refused, and so are names that occur twice. source: the variable or flag it came from, for messages. Throws Error of
// this rank, configuration, with the place in the text and the cure.
TfConfig read_tf_config(std::string_view text, std::string_view source);

// As a process would have to have it set, to be that task of that cluster.
std::string tf_config_text(const ClusterSpec& cluster, const TaskName& task, std::string_view environment = "");

}  // namespace lockstep

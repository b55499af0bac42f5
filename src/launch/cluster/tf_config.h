#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "launch/cluster/cluster_spec.h"

namespace lockstep {

inline constexpr std::size_t kMaxTfConfigBytes = std::size_t{64} << 20U;

// The value of TF_CONFIG, as TensorFlow's programs and the operators of clusters write it.
struct TfConfig {
  ClusterSpec cluster;  // no jobs: this process is alone
  // The task of this process, if it is named. In a TF_CONFIG: one of the cluster's, or an evaluator outside it; without
  // a cluster, worker 0 or an evaluator.
  std::optional<TaskName> task;
  std::string environment;  // "cloud", "local", "google"; "" if not given
  // The objection of each of TensorFlow's own readers where they disagree (the table of docs/from_tensorflow.md).
  std::vector<std::string> warnings;
};

// Reads the text: what both the estimator's reader and tf.distribute's accept is accepted, what both refuse is refused,
// and what only one accepts is accepted with a warning of what the other would say (reader_rules.h). Stricter than both
// with names that occur twice, fractions and true as an index, and texts that are large, deep or not UTF-8. An empty
// text is refused; a variable that is not set need not be read. source: the variable or flag it came from, for
// messages. Throws Error of this rank, configuration, with the place in the text and the cure.
TfConfig read_tf_config(std::string_view text, std::string_view source);

// The TF_CONFIG of a process that is that task of that cluster. Throws std::invalid_argument if a text in it is not
// UTF-8.
std::string tf_config_text(const ClusterSpec& cluster, const TaskName& task, std::string_view environment = "");

}  // namespace lockstep

#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "launch/cluster/cluster_spec.h"

// The objections of TensorFlow's own two readers to a TF_CONFIG whose cluster can be read. They disagree; Lockstep
// accepts what one of them accepts, and reports what the other would say. Pure.
namespace lockstep {

// The member "task" as it is written.
struct StatedTask {
  std::optional<std::string> type{};
  std::optional<std::int64_t> index{};
};

// The objection of one reader.
struct ReaderRefusal {
  std::string path;  // its place in the text: "cluster.chief"
  std::string why;   // the reason, and often the cure
};

// The objection of tf.estimator.RunConfig, which t2t-trainer uses: a cluster must have exactly one chief or master.
// Nothing if it accepts the TF_CONFIG.
std::optional<ReaderRefusal> estimator_refusal(const ClusterSpec& cluster, const StatedTask& task);

// The objection of tf.distribute's TFConfigClusterResolver and multi_worker_util, which know the jobs chief, worker, ps
// and evaluator only. Nothing if they accept the TF_CONFIG.
std::optional<ReaderRefusal> resolver_refusal(const ClusterSpec& cluster, const StatedTask& task);

}  // namespace lockstep

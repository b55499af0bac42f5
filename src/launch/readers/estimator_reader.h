#pragma once

#include <optional>
#include <string>

#include "base/json.h"

namespace lockstep {

// Arguments of the constructor.
struct EstimatorArguments {
  std::optional<std::string> model_dir{};
};

// What tf.estimator.RunConfig, the strict reader of TF_CONFIG, sets its properties to: role, task_id, is_chief,
// num_workers (the chief counts), num_ps, id_in_cluster, master, evaluation_master, cluster, device_filters, model_dir,
// service; and our own warnings. tf_config: the variable's value, nothing if it is not set. Pure. Throws PythonError
// where it refuses.
Json::Object read_as_estimator(const std::optional<std::string>& tf_config, const EstimatorArguments& arguments = {});

}  // namespace lockstep

#pragma once

#include <optional>
#include <string>

#include "base/json.h"

namespace lockstep {

// Arguments of the constructor. tensor2tensor gives its --master.
struct ContribArguments {
  std::optional<std::string> master{};
  std::optional<std::string> model_dir{};
};

// What contrib.learn's RunConfig, the reader of TF_CONFIG that tensor2tensor uses for clusters without a chief, sets
// its properties to: role, task_id, is_chief, num_workers (the master does not count), num_ps, id_in_cluster (null),
// master, environment, starts_server_on_train, cluster, model_dir; and our own warnings. tf_config: the variable's
// value, nothing if it is not set. Pure. Throws PythonError where it refuses.
Json::Object read_as_contrib(const std::optional<std::string>& tf_config, const ContribArguments& arguments = {});

}  // namespace lockstep

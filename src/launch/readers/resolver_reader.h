#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "launch/readers/tf_config_reading.h"

namespace lockstep {

// Arguments of the constructor, which count before TF_CONFIG, and of master(), which count before those.
struct ResolverArguments {
  std::optional<std::string> task_type{};
  std::optional<std::int64_t> task_id{};
  std::optional<std::string> rpc_layer{};
  std::optional<std::string> master_task_type{};
  std::optional<std::int64_t> master_task_id{};
  std::optional<std::string> master_rpc_layer{};
};

// What tf.distribute makes of TF_CONFIG: its TFConfigClusterResolver and the functions of its multi_worker_util, which
// read the text anew for each value: role, task_id, rpc_layer, cluster, num_ps, master, is_chief, num_workers,
// id_in_cluster, leader; and our own warnings. It refuses where is_chief raises, and nothing is trained then.
// tf_config: the variable's value, nothing if it is not set. Pure.
TfConfigReading read_as_resolver(const std::optional<std::string>& tf_config, const ResolverArguments& arguments = {});

}  // namespace lockstep

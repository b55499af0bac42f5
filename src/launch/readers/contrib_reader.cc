#include "launch/readers/contrib_reader.h"

#include <cstdint>

#include "launch/readers/python_cluster_spec.h"
#include "launch/readers/python_error.h"
#include "launch/readers/python_json.h"
#include "launch/readers/python_value.h"
#include "launch/readers/run_config.h"

namespace lockstep {
namespace {

Json master_of(const PythonClusterSpec& cluster, const Json& type, const Json& id) {
  if (cluster.empty() || is_single_task(cluster) || !python_truth(type)) return "";
  const auto* const name = type.as<std::string>();
  if (name == nullptr || !cluster.contains(*name)) throw no_such_task_type(python_str(type), cluster);
  if (python_compare(id, cluster.list_length(*name)) >= 0 || python_compare(id, 0) < 0) {
    throw no_such_task_id(python_str(id), *name, cluster, TaskIdMessage::these_value);
  }
  return grpc_address(cluster, *name, *id.as<std::int64_t>());
}

bool leads(const Json& type, const Json& id, const Json& environment) {
  if (id != Json(0)) return false;
  return type == Json() || is_text(type, is_text(environment, "cloud") ? "master" : "worker");
}

// As its Experiment.train() did: it needs something to serve, and a place where nobody else does it.
bool starts_server(const PythonClusterSpec& cluster, const Json& master, const Json& environment) {
  if (is_text(environment, "local") || is_text(environment, "google")) return false;
  return !cluster.empty() && python_truth(master);
}

Json checked_model_dir(const Json& config, const std::optional<std::string>& argument) {
  const Json in_tf_config = python_get(config, "model_dir", {});
  if (argument && in_tf_config != Json() && !is_text(in_tf_config, *argument)) {
    throw model_dirs_differ(*argument, python_str(in_tf_config));
  }
  return argument.value_or("").empty() ? in_tf_config : Json(*argument);
}

}  // namespace

Json::Object read_as_contrib(const std::optional<std::string>& tf_config, const ContribArguments& arguments) {
  const PythonDocument document = python_json(tf_config.value_or("").empty() ? "{}" : *tf_config);
  const Json& config = document.value;
  const Json task_env = python_get(config, "task", Json::Object());
  const Json type = python_get(task_env, "type", {});
  const Json index = python_get(task_env, "index", {});
  const Json id = python_truth(index) ? python_int(index) : Json(0);
  const PythonClusterSpec cluster(python_get(config, "cluster", Json::Object()));
  const Json master = arguments.master ? Json(*arguments.master) : master_of(cluster, type, id);
  const std::int64_t num_ps = cluster.dict_length("ps");
  const std::int64_t num_workers = cluster.dict_length("worker");
  const Json environment = python_get(config, "environment", "local");
  return {{"role", type},
          {"task_id", id},
          {"is_chief", leads(type, id, environment)},
          {"num_workers", num_workers},
          {"num_ps", num_ps},
          {"id_in_cluster", Json()},
          {"master", master},
          {"environment", environment},
          {"starts_server_on_train", starts_server(cluster, master, environment)},
          {"cluster", cluster.as_dict()},
          {"model_dir", checked_model_dir(config, arguments.model_dir)},
          {"warnings", Json::Array(document.warnings.begin(), document.warnings.end())}};
}

}  // namespace lockstep

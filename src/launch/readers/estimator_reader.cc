#include "launch/readers/estimator_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "launch/readers/python_cluster_spec.h"
#include "launch/readers/python_error.h"
#include "launch/readers/python_json.h"
#include "launch/readers/python_value.h"
#include "launch/readers/run_config.h"

namespace lockstep {
namespace {

struct Task {
  std::string type;
  Json id;  // an integer, and within 64 bits unless it is an evaluator's
};

Json model_dir_of(const Json& config, const std::optional<std::string>& argument) {
  constexpr const char* kEmpty = "model_dir should be non-empty";
  if (argument == "") raise_value_error(std::string(kEmpty) + ".");
  Json in_tf_config = python_get(config, "model_dir", {});
  if (is_text(in_tf_config, "")) raise_value_error("model_dir in TF_CONFIG should be non-empty.");
  const bool set = python_truth(in_tf_config);
  if (argument && set && !is_text(in_tf_config, *argument)) {
    throw model_dirs_differ(*argument, python_str(in_tf_config));
  }
  if (argument) return *argument;
  if (!set && in_tf_config != Json()) raise_value_error(kEmpty);
  return in_tf_config;
}

Json service_of(const Json& config) {
  Json service = python_get(config, "service", {});
  if (service == Json() || service.as<Json::Object>() != nullptr) return service;
  throw PythonError(
      "TypeError",
      fmt::format("If \"service\" is set in TF_CONFIG, it must be a dict. Given <class '{}'>", python_type(service)));
}

void check_chief(const PythonClusterSpec& cluster, const std::string& chief) {
  if (!cluster.contains(chief)) {
    raise_value_error(fmt::format(R"(If "cluster" is set in TF_CONFIG, it must have one "{}" node.)", chief));
  }
  if (cluster.list_length(chief) > 1) {
    raise_value_error(fmt::format(R"(The "cluster" in TF_CONFIG must have only one "{}" node.)", chief));
  }
}

Task task_in(const PythonClusterSpec& cluster, const Json& task_env) {
  const Json type = python_get(task_env, "type", {});
  const Json index = python_get(task_env, "index", {});
  if (!python_truth(type)) raise_value_error("If \"cluster\" is set in TF_CONFIG, task type must be set.");
  if (index == Json()) raise_value_error("If \"cluster\" is set in TF_CONFIG, task index must be set.");
  const Json id = python_int(index);
  if (python_compare(id, 0) < 0) raise_value_error("Task index must be non-negative number.");
  if (is_text(type, "evaluator")) return {"evaluator", id};
  const auto* const name = type.as<std::string>();
  if (name == nullptr || !cluster.contains(*name)) throw no_such_task_type(python_str(type), cluster);
  if (python_compare(id, cluster.list_length(*name)) >= 0) {
    throw no_such_task_id(python_str(id), *name, cluster, TaskIdMessage::these_values);
  }
  return {*name, id};
}

Json session_master(const Json& config, const PythonClusterSpec& cluster, const Task& task) {
  if (const Json* const given = python_get(config, "session_master")) return *given;
  if (is_single_task(cluster)) return "";
  return grpc_address(cluster, task.type, *task.id.as<std::int64_t>());
}

// Counted over the chief, the other jobs by name, and the parameter servers.
std::int64_t global_id(const PythonClusterSpec& cluster, const Task& task, const std::string& chief) {
  std::vector<std::string> order = cluster.jobs();
  const auto place = [&chief](const std::string& job) { return job == chief ? 0 : job == "ps" ? 2 : 1; };
  std::ranges::sort(order, {}, [&place](const std::string& job) { return std::pair(place(job), job); });
  std::int64_t before = 0;
  for (const std::string& job : order) {
    if (job == task.type) break;
    before += cluster.list_length(job);
  }
  return before + *task.id.as<std::int64_t>();
}

Json device_filters(const Task& task) {
  if (task.type == "master" || task.type == "chief") return Json::Array{"/job:ps", "/job:" + task.type};
  if (task.type == "worker") {
    return Json::Array{"/job:ps", fmt::format("/job:worker/task:{}", python_str(task.id))};
  }
  if (task.type == "ps") return Json::Array{"/job:ps", "/job:worker", "/job:chief", "/job:master"};
  return {};
}

Json::Object of_evaluator(const Json& config, const Task& task) {
  return {{"role", task.type},
          {"task_id", task.id},
          {"is_chief", false},
          {"num_workers", 0},
          {"num_ps", 0},
          {"id_in_cluster", Json()},
          {"master", ""},
          {"evaluation_master", python_get(config, "eval_session_master", "")},
          {"cluster", Json::Object()},
          {"device_filters", Json()}};
}

Json::Object in_cluster(const Json& config, const PythonClusterSpec& cluster, const Json& task_env) {
  const bool has_master = cluster.contains("master");
  if (has_master && cluster.contains("chief")) {
    raise_value_error("If `master` node exists in `cluster`, job `chief` is not supported.");
  }
  const std::string chief = has_master ? "master" : "chief";
  check_chief(cluster, chief);
  const Task task = task_in(cluster, task_env);
  if (task.type == "evaluator") {
    if (has_master) raise_value_error("If `master` node exists in `cluster`, task_type `evaluator` is not supported.");
    return of_evaluator(config, task);
  }
  // The order in which they are found decides which of several errors is raised.
  std::int64_t id = 0;
  if (has_master) id = global_id(cluster, task, chief);
  const Json master = session_master(config, cluster, task);
  const std::int64_t num_ps = cluster.dict_length("ps");
  const std::int64_t num_workers = cluster.dict_length("worker") + cluster.dict_length(chief);
  if (!has_master) id = global_id(cluster, task, chief);
  return {{"role", task.type},
          {"task_id", task.id},
          {"is_chief", task.type == chief},
          {"num_workers", num_workers},
          {"num_ps", num_ps},
          {"id_in_cluster", id},
          {"master", master},
          {"evaluation_master", ""},
          {"cluster", cluster.as_dict()},
          {"device_filters", device_filters(task)}};
}

Json::Object alone(const Json& config, const Json& task_env) {
  const Json type = python_get(task_env, "type", "worker");
  const Json id = python_int(python_get(task_env, "index", 0));
  if (!is_text(type, "worker")) raise_value_error("If \"cluster\" is not set in TF_CONFIG, task type must be WORKER.");
  if (id != Json(0)) raise_value_error("If \"cluster\" is not set in TF_CONFIG, task index must be 0.");
  return {{"role", type},
          {"task_id", id},
          {"is_chief", true},
          {"num_workers", 1},
          {"num_ps", 0},
          {"id_in_cluster", 0},
          {"master", python_get(config, "session_master", "")},
          {"evaluation_master", python_get(config, "eval_session_master", "")},
          {"cluster", Json::Object()},
          {"device_filters", Json()}};
}

}  // namespace

Json::Object read_as_estimator(const std::optional<std::string>& tf_config, const EstimatorArguments& arguments) {
  const PythonDocument document = python_json(tf_config.value_or("{}"));
  const Json& config = document.value;
  const Json model_dir = model_dir_of(config, arguments.model_dir);
  const Json service = service_of(config);
  const PythonClusterSpec cluster(python_get(config, "cluster", Json::Object()));
  const Json task_env = python_get(config, "task", Json::Object());
  Json::Object read = cluster.empty() ? alone(config, task_env) : in_cluster(config, cluster, task_env);
  read.emplace_back("model_dir", model_dir);
  read.emplace_back("service", service);
  read.emplace_back("warnings", Json::Array(document.warnings.begin(), document.warnings.end()));
  return read;
}

}  // namespace lockstep

#include "launch/readers/multi_worker_util.h"

#include <fmt/format.h>

#include <algorithm>

#include "launch/readers/python_error.h"
#include "launch/readers/python_value.h"

namespace lockstep {
namespace {

constexpr const char* kAllowed = "('chief', 'worker', 'evaluator', 'ps', None)";

bool is_allowed(std::string_view type) {
  return type == "chief" || type == "worker" || type == "evaluator" || type == "ps";
}

bool has_job(const PythonClusterSpec& cluster, const Json& type) {
  const auto* const name = type.as<std::string>();
  return name != nullptr && cluster.contains(*name);
}

void check_types(const PythonClusterSpec& cluster, const Json& type) {
  if (!std::ranges::all_of(cluster.jobs(), is_allowed)) {
    raise_value_error(
        fmt::format("Disallowed task type found in cluster spec. Allowed types are {} and the cluster spec is {}.",
                    kAllowed, cluster.repr()));
  }
  const auto* const name = type.as<std::string>();
  if (name != nullptr && !is_allowed(*name)) {
    raise_value_error(fmt::format("Unrecognized task_type: {}, valid task types are: {}", *name, kAllowed));
  }
}

void check_id(const PythonClusterSpec& cluster, const std::string& type, const Json& id) {
  if (id == Json()) {
    throw PythonError("TypeError", "'>=' not supported between instances of 'NoneType' and 'int'");
  }
  if (python_compare(id, cluster.num_tasks(type)) >= 0) {
    raise_value_error(fmt::format("The `task_id` {} exceeds the maximum id of {}.", python_str(id), type));
  }
}

void validate(const PythonClusterSpec& cluster, const Json& type, const Json& id) {
  check_types(cluster, type);
  const bool is_there = has_job(cluster, type);
  if (type != Json() && !is_there && !is_text(type, "evaluator")) {
    raise_value_error(fmt::format("`task_type` {} not found in cluster_spec.", python_repr(type)));
  }
  for (const char* job : {"chief", "evaluator"}) {
    if (cluster.num_tasks(job) > 1) raise_value_error(fmt::format("There must be at most one '{}' job.", job));
  }
  if (is_there) check_id(cluster, *type.as<std::string>(), id);
}

}  // namespace

bool is_chief(const PythonClusterSpec& cluster, const Json& type, const Json& id) {
  validate(cluster, type, id);
  cluster.as_dict();  // which can raise
  if (is_text(type, "chief") || is_text(type, "evaluator")) return true;
  return !cluster.contains("chief") && is_text(type, "worker") && id == Json(0);
}

std::string collective_leader(const PythonClusterSpec& cluster, const Json& type, const Json& id) {
  cluster.as_dict();
  if (cluster.empty()) return "";
  validate(cluster, type, id);
  if (is_text(type, "evaluator")) return "";
  if (cluster.contains("chief")) return "/job:chief/replica:0/task:0";
  if (!cluster.contains("worker")) throw PythonError("AssertionError", "");
  return "/job:worker/replica:0/task:0";
}

std::int64_t worker_count(const PythonClusterSpec& cluster, const Json& type) {
  validate(cluster, type, 0);
  cluster.as_dict();
  if (is_text(type, "evaluator")) {
    if (!cluster.contains("evaluator")) throw PythonError("KeyError", "'evaluator'");
    return cluster.num_tasks("evaluator");
  }
  if (!is_text(type, "chief") && !is_text(type, "worker")) {
    raise_value_error(fmt::format("Unexpected `task_type` {}", python_repr(type)));
  }
  return cluster.num_tasks("chief") + cluster.num_tasks("worker");
}

Json id_in_cluster(const PythonClusterSpec& cluster, const Json& type, const Json& id) {
  validate(cluster, type, id);
  cluster.as_dict();
  if (is_text(type, "chief")) return 0;
  if (is_text(type, "worker")) return python_sum(id, cluster.num_tasks("chief"));
  if (is_text(type, "evaluator")) return id;
  raise_value_error(fmt::format("There is no id for task_type {}", python_repr(type)));
}

}  // namespace lockstep

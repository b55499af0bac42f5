#include "launch/readers/resolver_reader.h"

#include <fmt/format.h>

#include "launch/readers/multi_worker_util.h"
#include "launch/readers/python_cluster_spec.h"
#include "launch/readers/python_json.h"
#include "launch/readers/python_value.h"

namespace lockstep {
namespace {

// A value that stands for what get() returns or raises.
template <class Get>
Json value_or_error(Get get) {
  try {
    return get();
  } catch (const PythonError& error) {
    return error.json();
  }
}

// The properties of TFConfigClusterResolver, each of which reads the text.
class Resolver {
 public:
  // unreadable: what is raised by whatever reads the text.
  Resolver(const Json& config, const std::optional<PythonError>& unreadable, const ResolverArguments& arguments)
      : config_(config), unreadable_(unreadable), arguments_(arguments) {}

  Json task_type() const {
    if (arguments_.task_type) return *arguments_.task_type;
    const Json task = task_info();
    return python_contains(task, "type") ? Json(python_str(python_item(task, "type"))) : Json();
  }

  Json task_id() const {
    if (arguments_.task_id) return *arguments_.task_id;
    const Json task = task_info();
    return python_contains(task, "index") ? python_int(python_item(task, "index")) : Json();
  }

  Json rpc_layer() const { return arguments_.rpc_layer ? Json(*arguments_.rpc_layer) : value("rpc_layer", {}); }

  PythonClusterSpec cluster() const { return PythonClusterSpec(value("cluster", Json::Object())); }

  Json master() const {
    Json session_master = value("session_master", {});
    if (session_master != Json()) return session_master;
    const PythonClusterSpec spec = cluster();
    const std::vector<std::string> jobs = spec.jobs();
    if (jobs.empty() || (jobs.size() == 1 && spec.list_length(jobs.front()) == 1)) return "";
    const Json type = arguments_.master_task_type ? Json(*arguments_.master_task_type) : task_type();
    const Json id = arguments_.master_task_id ? Json(*arguments_.master_task_id) : task_id();
    const Json layer = arguments_.master_rpc_layer ? Json(*arguments_.master_rpc_layer) : rpc_layer();
    const std::string& address = spec.task_address(type, id);
    return python_truth(layer) ? fmt::format("{}://{}", python_str(layer), address) : address;
  }

  // What a rule says of this task in its cluster. The arguments are evaluated in Python's order: of several that raise,
  // the first counts.
  template <class Rule>
  auto by_rule(const Rule& rule) const {
    const PythonClusterSpec spec = cluster();
    const Json type = task_type();
    return rule(spec, type, task_id());
  }

 private:
  Json value(std::string_view name, const Json& otherwise) const {
    if (unreadable_) throw PythonError(*unreadable_);
    return python_contains(config_, name) ? python_item(config_, name) : otherwise;
  }
  Json task_info() const { return value("task", Json::Object()); }

  const Json& config_;
  const std::optional<PythonError>& unreadable_;
  const ResolverArguments& arguments_;
};

TfConfigReading read_properties(const Resolver& resolver) {
  const auto by_rule = [&resolver](const auto& rule) {
    return value_or_error([&] { return Json(resolver.by_rule(rule)); });
  };
  const auto count = [&resolver] {
    const PythonClusterSpec cluster = resolver.cluster();
    return Json(worker_count(cluster, resolver.task_type()));
  };
  TfConfigReading reading;
  reading.fields = {{"role", value_or_error([&] { return resolver.task_type(); })},
                    {"task_id", value_or_error([&] { return resolver.task_id(); })},
                    {"is_chief", by_rule(is_chief)},
                    {"num_workers", value_or_error(count)},
                    {"num_ps", value_or_error([&] { return Json(resolver.cluster().num_tasks("ps")); })},
                    {"id_in_cluster", by_rule(id_in_cluster)},
                    {"master", value_or_error([&] { return resolver.master(); })},
                    {"cluster", value_or_error([&] { return resolver.cluster().as_dict(); })},
                    {"rpc_layer", value_or_error([&] { return resolver.rpc_layer(); })},
                    {"leader", by_rule(collective_leader)}};
  try {
    resolver.by_rule(is_chief);
  } catch (const PythonError& error) {
    reading.refusal = error;
  }
  return reading;
}

}  // namespace

TfConfigReading read_as_resolver(const std::optional<std::string>& tf_config, const ResolverArguments& arguments) {
  PythonDocument document;
  std::optional<PythonError> unreadable;
  try {
    document = python_json(tf_config.value_or("{}"));
  } catch (const PythonError& error) {
    unreadable = error;
  }
  TfConfigReading reading = read_properties(Resolver(document.value, unreadable, arguments));
  reading.fields.emplace_back("warnings", Json::Array(document.warnings.begin(), document.warnings.end()));
  return reading;
}

}  // namespace lockstep

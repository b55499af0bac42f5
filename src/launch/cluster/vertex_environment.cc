#include "launch/cluster/vertex_environment.h"

#include <fmt/format.h>

#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/json.h"

namespace lockstep {
namespace {

constexpr const char* kClusterSpec = "CLUSTER_SPEC";

constexpr std::pair<std::string_view, std::string_view> kPools[] = {
    {"workerpool0", "chief"}, {"workerpool1", "worker"}, {"workerpool2", "ps"}, {"workerpool3", "evaluator"}};

std::string job_of(const std::string& pool) {
  for (const auto& [name, job] : kPools) {
    if (pool == name) return std::string(job);
  }
  return pool;
}

// The members of an object, changed; anything else as it is.
template <class Change>
Json with_members(const Json& json, const Change& change) {
  const auto* const object = json.as<Json::Object>();
  if (object == nullptr) return json;
  Json::Object changed;
  for (const auto& [name, value] : *object) changed.push_back(change(name, value));
  return changed;
}

Json with_jobs(const Json& cluster) {
  return with_members(cluster,
                      [](const std::string& name, const Json& tasks) { return Json::Member(job_of(name), tasks); });
}

Json with_job(const Json& task) {
  return with_members(task, [](const std::string& name, const Json& value) {
    const auto* const type = value.as<std::string>();
    return Json::Member(name, name == "type" && type != nullptr ? Json(job_of(*type)) : value);
  });
}

// The description as a TF_CONFIG.
Json as_tf_config(const Json& spec) {
  return with_members(spec, [](const std::string& name, const Json& value) {
    if (name == "cluster") return Json::Member(name, with_jobs(value));
    if (name == "task") return Json::Member(name, with_job(value));
    return Json::Member(name, value);
  });
}

}  // namespace

std::optional<ClusterDescription> read_vertex_environment(const Environment& environment) {
  if (!environment("TF_CONFIG").value_or("").empty()) return {};
  const std::string text = environment(kClusterSpec).value_or("");
  if (text.find(kPools[0].first) == std::string::npos) return {};
  std::string tf_config;
  try {
    tf_config = as_tf_config(parse_json(text)).text();
  } catch (const JsonError& error) {
    throw Error(ExitCode::configuration, fmt::format("{}: {}", kClusterSpec, error.what()));
  }
  return ClusterDescription{.source = kClusterSpec, .config = read_tf_config(tf_config, kClusterSpec)};
}

}  // namespace lockstep

#include "launch/cluster/tf_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "base/error.h"
#include "base/json_place.h"
#include "base/nearest.h"
#include "base/printable.h"
#include "base/python_number.h"
#include "launch/cluster/address_warnings.h"
#include "launch/cluster/mistaken_text.h"
#include "launch/cluster/reader_rules.h"

namespace lockstep {
namespace {

const std::vector<std::string>& read_members() {
  static const std::vector<std::string> names = {"cluster", "task", "environment"};
  return names;
}

// Returns whether a member is read, or is meant for other programs and says nothing about this process's place in the
// job.
bool is_expected(std::string_view name) {
  return std::ranges::find(read_members(), name) != read_members().end() || name == "rpc_layer" || name == "job" ||
         name == "trial";
}

std::string why_ignored(const std::string& name) {
  if (name == "session_master" || name == "eval_session_master" || name == "service") {
    return "it is ignored: there are no sessions here";
  }
  if (name == "model_dir") return "it is ignored: --output_dir says where the run lies";
  return "no reader knows it, and it is ignored" + did_you_mean(name, read_members());
}

// Warns of the first few members that are not read.
void warn_of_ignored(const Json::Object& root, std::vector<std::string>& warnings) {
  constexpr int kMostWarnings = 5;
  int found = 0;
  for (const auto& [name, value] : root) {
    if (is_expected(name) || ++found > kMostWarnings) continue;
    warnings.push_back(fmt::format("{}: {}", member_path("", name), why_ignored(name)));
  }
  if (found > kMostWarnings) warnings.push_back(fmt::format("{} more members are ignored", found - kMostWarnings));
}

// As int() of Python reads it, but a fraction is not cut off.
std::optional<std::int64_t> read_index(const JsonPlace& place) {
  const Json& json = place.json();
  if (json == Json()) return {};
  if (const auto* integer = json.as<std::int64_t>()) return *integer;
  if (const auto* text = json.as<std::string>()) {
    const PythonInteger index = parse_python_integer(*text);
    if (index.status == PythonInteger::Status::valid) return index.value;
  }
  if (const auto* number = json.as<double>(); number != nullptr && std::trunc(*number) == *number) {
    if (std::abs(*number) < 0x1p53) return static_cast<std::int64_t>(*number);
  }
  place.refuse(fmt::format("expected the task's number within its job, from 0 up, found {}", shortened(json)));
}

StatedTask read_task(const JsonPlace& root) {
  const auto place = root.find("task");
  if (!place) return {};
  if (place->json().as<Json::Object>() == nullptr) {
    place->refuse(fmt::format(R"(expected this process's task, {{"type": "worker", "index": 0}}, found {})",
                              shortened(place->json())));
  }
  StatedTask task;
  if (const auto type = place->find("type"); type && type->json() != Json()) task.type = type->text();
  if (const auto index = place->find("index")) task.index = read_index(*index);
  return task;
}

constexpr const char* kEstimator = "the estimator's reader";
constexpr const char* kResolver = "tf.distribute's reader";

std::string text_of(const ReaderRefusal& refusal) { return fmt::format("{}: {}", refusal.path, refusal.why); }

[[noreturn]] void refuse_as_both(const JsonPlace& root, const ReaderRefusal& fault, const ReaderRefusal& other,
                                 const char* reader) {
  root.refuse(text_of(fault) +
              (other.path == fault.path ? "" : fmt::format(" (and for {}: {})", reader, text_of(other))));
}

// Throws if both of TensorFlow's readers refuse it; a warning if one does.
void judge(const JsonPlace& root, TfConfig& config, const StatedTask& task) {
  const auto estimator = estimator_refusal(config.cluster, task);
  const auto resolver = resolver_refusal(config.cluster, task);
  if (estimator && resolver) {
    // A missing chief is not a fault here, and the estimator's reader stops at it.
    if (estimator->path == "cluster") refuse_as_both(root, *resolver, *estimator, kEstimator);
    refuse_as_both(root, *estimator, *resolver, kResolver);
  }
  const auto warn = [&](const char* reader, const ReaderRefusal& refusal) {
    config.warnings.push_back(fmt::format("{} would refuse it, {}", reader, text_of(refusal)));
  };
  if (estimator) warn(kEstimator, *estimator);
  if (resolver) warn(kResolver, *resolver);
}

// TensorFlow's server for trials on one machine names its job local.
void take_local_as_worker(TfConfig& config, StatedTask& task) {
  const auto local = std::ranges::find(config.cluster.jobs, "local", &ClusterJob::name);
  if (local == config.cluster.jobs.end() || local->tasks.empty() || config.cluster.find("worker") != nullptr) return;
  local->name = "worker";
  if (task.type == "local") task.type = "worker";
  config.warnings.emplace_back("cluster.local: it is taken for cluster.worker, since there is no role for a job local");
}

TfConfig read(const JsonPlace& root) {
  if (root.json().as<Json::Object>() == nullptr) {
    root.refuse(fmt::format(R"(expected {{"cluster": {{...}}, "task": {{...}}}}, found {})", shortened(root.json())));
  }
  TfConfig config;
  if (const auto cluster = root.find("cluster")) {
    config.cluster = read_cluster_spec(*cluster);
  } else if (const auto sparse = root.find("sparseCluster")) {
    sparse->refuse("it is not read; name it cluster, whose jobs may be maps from index to address as well");
  }
  StatedTask task = read_task(root);
  take_local_as_worker(config, task);
  judge(root, config, task);
  if (task.type) config.task = TaskName{*task.type, task.index.value_or(0)};
  if (const auto environment = root.find("environment")) {
    if (const auto* text = environment->json().as<std::string>()) {
      config.environment = *text;
    } else {
      config.warnings.push_back(
          fmt::format("environment: {} is no text, and is ignored", shortened(environment->json())));
    }
  }
  std::ranges::move(address_warnings(config.cluster), std::back_inserter(config.warnings));
  warn_of_ignored(*root.json().as<Json::Object>(), config.warnings);
  return config;
}

[[noreturn]] void refuse(std::string_view source, const std::string& why) {
  throw Error(ExitCode::configuration, fmt::format("{}: {}", source, why));
}

}  // namespace

TfConfig read_tf_config(std::string_view text, std::string_view source) {
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) {
    refuse(source, fmt::format("it is set, but empty; {} {}, or describe the cluster in it",
                               source.starts_with("--") ? "leave out" : "unset", source));
  }
  if (text.size() > kMaxTfConfigBytes) {
    refuse(source, fmt::format("it has {} bytes, more than {}", text.size(), kMaxTfConfigBytes));
  }
  try {
    const Json json = parse_json(text);
    TfConfig config = read(JsonPlace(json));
    for (std::string& warning : config.warnings) warning = fmt::format("{}: {}", source, warning);
    return config;
  } catch (const JsonError& error) {
    const std::string seems = what_it_seems(text, source);
    if (seems.empty()) refuse(source, error.what());
    refuse(source, fmt::format("{} is no JSON: {}", in_quotes(text), seems));
  }
}

std::string tf_config_text(const ClusterSpec& cluster, const TaskName& task, std::string_view environment) {
  Json::Object config{{"cluster", to_json(cluster)}, {"task", Json::Object{{"type", task.job}, {"index", task.index}}}};
  if (!environment.empty()) config.emplace_back("environment", std::string(environment));
  return Json(std::move(config)).text(Json::Form::readable);
}

}  // namespace lockstep

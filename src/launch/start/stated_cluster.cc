#include "launch/start/stated_cluster.h"

#include <fmt/format.h>

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/json.h"
#include "launch/cluster/classic_flags.h"
#include "launch/cluster/cluster_descriptions.h"
#include "launch/cluster/gradient_environment.h"
#include "launch/cluster/tf_config.h"
#include "launch/cluster/vertex_environment.h"

namespace lockstep {
namespace {

ClassicCluster classic_cluster(const TrainSettings& flags) {
  ClassicCluster classic;
  classic.ps_hosts.value = flags.ps_hosts;
  classic.worker_hosts.value = flags.worker_hosts;
  classic.job_name.value = flags.job_name;
  if (flags.task_index) classic.task_index.value = std::to_string(*flags.task_index);
  return classic;
}

// Warns of flags that name the process's task although there is no cluster.
void warn_of_useless_task(std::span<const ClusterDescription> told, std::vector<std::string>& warnings) {
  for (const auto& [source, config] : told) {
    if (!config.task || !source.starts_with("--")) continue;
    warnings.push_back(
        fmt::format("{}: there is no cluster that {} belongs to, and ranks are numbered as they were "
                    "started; give --worker_hosts as well, or leave the task out",
                    source, describe(*config.task)));
  }
}

// Fills in `stated` from what stated_cluster() reads. Throws Error.
void read(const TrainSettings& flags, const Environment& environment, StatedCluster& stated) {
  std::vector<ClusterDescription> told;
  const std::string text = environment("TF_CONFIG").value_or("");
  if (!text.empty()) told.push_back({.source = "TF_CONFIG", .config = read_tf_config(text, "TF_CONFIG")});
  if (auto vertex = read_vertex_environment(environment)) told.push_back(std::move(*vertex));
  if (auto classic = read_classic_cluster(classic_cluster(flags))) told.push_back(std::move(*classic));
  GradientEnvironment gradient = read_gradient_environment(environment, !text.empty());
  stated.output_dir = std::move(gradient.model_path);
  for (ClusterDescription& description : gradient.clusters) told.push_back(std::move(description));

  const auto agreed = agreed_description(told);
  if (!agreed) return;
  stated.warnings = agreed->warnings;
  // A task without a cluster is a process by itself: an evaluator's evaluates, any other's trains.
  const bool evaluates = agreed->task && agreed->task->job == "evaluator";
  if (agreed->cluster.tasks() == 0 && !evaluates) {
    check_alone(*agreed, told);
    warn_of_useless_task(told, stated.warnings);
    return;
  }
  stated.task = agreed->task;
  stated.told_by = sources_of(told);
  stated.description = to_json(agreed->cluster).text();
}

}  // namespace

StatedCluster stated_cluster(const TrainSettings& flags, const Environment& environment) {
  StatedCluster stated;
  try {
    read(flags, environment, stated);
  } catch (const Error& error) {                 // all processes get it, and one reports it
    if (error.code() == ExitCode::usage) throw;  // errors of flags are reported before there is a job
    stated = {.description = {}, .refusal = error.what()};
  }
  return stated;
}

ClusterSpec described_cluster(const std::string& description) {
  try {
    const Json json = parse_json(description);
    return read_cluster_spec(JsonPlace(json));
  } catch (const JsonError& error) {
    fail(LS_HERE("described_cluster"), error.what());
  }
}

}  // namespace lockstep

#include "launch/tools/translate/sources/cluster_variables.h"

#include <string>

namespace lockstep {
namespace {

constexpr const char* kTfConfig = "TF_CONFIG";
constexpr const char* kOfGradient[] = {"PS_CONFIG", "PS_HOSTS", "WORKER_HOSTS"};
constexpr const char* kBesideThem[] = {"TYPE", "INDEX"};  // which say nothing alone
constexpr const char* kFolder = "PS_MODEL_PATH";          // of the run; it says nothing of the cluster

bool is_set(const Environment& environment, const char* name) { return !environment(name).value_or("").empty(); }

std::vector<ClusterVariable> of_gradient(const Environment& environment) {
  std::vector<ClusterVariable> variables;
  for (const char* name : kOfGradient) {
    if (is_set(environment, name)) variables.push_back({.name = name});
  }
  if (variables.empty()) return {};
  for (const char* name : kBesideThem) {
    if (is_set(environment, name)) variables.push_back({.name = name});
  }
  return variables;
}

ClusterVariable tf_config_of(const TfConfig& config, const RankList& list) {
  const TaskName& first = (list.ranks.empty() ? list.evaluators : list.ranks).front().task;
  return {.name = kTfConfig, .value = tf_config_text(config.cluster, first, config.environment)};
}

}  // namespace

std::vector<ClusterVariable> cluster_variables(const CommandLine& line, const Environment& environment,
                                               const TfConfig& config, const RankList& list) {
  const bool has_tf_config = !line.given("tf_config") && is_set(environment, kTfConfig);
  std::vector<ClusterVariable> variables = of_gradient(environment);
  const bool evaluates = config.task && config.task->job == "evaluator" && !list.ranks.empty();
  const bool all_would = evaluates && (has_tf_config || !variables.empty());
  if (all_would) {
    for (ClusterVariable& variable : variables) variable.value = "";
  }
  if (all_would || (line.given("tf_config") && config.cluster.tasks() > 0)) {
    variables.insert(variables.begin(), tf_config_of(config, list));
  } else if (has_tf_config) {
    variables.insert(variables.begin(), {.name = kTfConfig});
  }
  if (is_set(environment, kFolder)) variables.push_back({.name = kFolder});
  return variables;
}

}  // namespace lockstep

#include "launch/tools/translate/sources/cluster_variables.h"

#include <span>
#include <string>

#include "launch/cluster/vertex_environment.h"

namespace lockstep {
namespace {

constexpr const char* kTfConfig = "TF_CONFIG";
constexpr const char* kOfGradient[] = {"PS_CONFIG", "PS_HOSTS", "WORKER_HOSTS"};
constexpr const char* kBesideThem[] = {"TYPE", "INDEX"};  // also with TF_CONFIG; alone they say nothing
constexpr const char* kFolder = "PS_MODEL_PATH";          // of the run; it says nothing of the cluster

bool is_set(const Environment& environment, const char* name) { return !environment(name).value_or("").empty(); }

// Appends those of the names that are set.
void add_set(std::span<const char* const> names, const Environment& environment,
             std::vector<ClusterVariable>& variables) {
  for (const char* name : names) {
    if (is_set(environment, name)) variables.push_back({.name = name});
  }
}

ClusterVariable tf_config_of(const TfConfig& config, const RankList& list) {
  const TaskName& first = (list.ranks.empty() ? list.evaluators : list.ranks).front().task;
  return {.name = kTfConfig, .value = tf_config_text(config.cluster, first, config.environment)};
}

}  // namespace

std::vector<ClusterVariable> cluster_variables(const CommandLine& line, const Environment& environment,
                                               const TfConfig& config, const RankList& list) {
  const bool has_tf_config = !line.given("tf_config") && is_set(environment, kTfConfig);
  std::vector<ClusterVariable> variables;
  add_set(kOfGradient, environment, variables);
  const bool is_gradients = !variables.empty();
  if (!line.given("tf_config") && read_vertex_environment(environment)) variables.push_back({.name = "CLUSTER_SPEC"});
  const bool evaluates = config.task && config.task->job == "evaluator" && !list.ranks.empty();
  const bool all_would = evaluates && (has_tf_config || !variables.empty());
  const bool sets_tf_config = all_would || (line.given("tf_config") && config.cluster.tasks() > 0);
  if (is_gradients || has_tf_config || sets_tf_config) add_set(kBesideThem, environment, variables);
  if (all_would || (sets_tf_config && !is_gradients)) {
    for (ClusterVariable& variable : variables) variable.value = "";
  }
  if (sets_tf_config) {
    variables.insert(variables.begin(), tf_config_of(config, list));
  } else if (has_tf_config) {
    variables.insert(variables.begin(), {.name = kTfConfig});
  }
  if (is_set(environment, kFolder)) variables.push_back({.name = kFolder});
  return variables;
}

}  // namespace lockstep

#include "launch/tools/translate/sources/told_cluster.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "launch/cluster/classic_flags.h"
#include "launch/cluster/gradient_environment.h"
#include "launch/cluster/vertex_environment.h"
#include "train/config/train_setting.h"

namespace lockstep {

std::optional<TfConfig> told_cluster(const CommandLine& line, const Environment& environment) {
  std::vector<ClusterDescription> descriptions;
  const auto add_tf_config = [&](const std::string& text, const char* source) {
    descriptions.push_back({.source = source, .config = read_tf_config(text, source)});
  };
  const std::string text = line.given("tf_config") ? "" : environment("TF_CONFIG").value_or("");
  if (line.given("tf_config")) {
    add_tf_config(line.text("tf_config"), "--tf_config");
  } else if (!text.empty()) {
    add_tf_config(text, "TF_CONFIG");
  } else if (auto vertex = read_vertex_environment(environment)) {
    descriptions.push_back(std::move(*vertex));
  }
  std::ranges::move(read_gradient_environment(environment, !text.empty()).clusters, std::back_inserter(descriptions));
  const ClassicCluster classic{.ps_hosts = {"--ps_hosts", line.text("ps_hosts")},
                               .worker_hosts = {"--worker_hosts", line.text("worker_hosts")},
                               .job_name = {"--job_name", line.text("job_name")},
                               .task_index = {"--task_index", line.text("task_index")}};
  if (auto description = read_classic_cluster(classic)) descriptions.push_back(std::move(*description));
  auto agreed = agreed_description(descriptions);
  if (agreed) check_alone(*agreed, descriptions);
  return agreed;
}

ClusterFlags cluster_flags(const CommandLine& line) {
  const auto number = [&line](const char* name) -> std::optional<int> {
    const TrainSetting& setting = train_setting(name);
    return line.given(name) ? std::optional(static_cast<int>(line.integer(name, setting.least, setting.most)))
                            : std::nullopt;
  };
  // T2T's default value of a flag says nothing about the cluster, as in train.
  const auto unless = [&number](const char* name, int if_unset) {
    const std::optional<int> given = number(name);
    return given == if_unset ? std::nullopt : given;
  };
  return {.sync = line.given("sync") ? std::optional(line.on("sync")) : std::nullopt,
          .worker_replicas = unless("worker_replicas", 1),
          .ps_replicas = unless("ps_replicas", 0),
          .worker_gpu = number("worker_gpu"),
          .ps_gpu = number("ps_gpu")};
}

}  // namespace lockstep

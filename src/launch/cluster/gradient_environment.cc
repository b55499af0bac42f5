#include "launch/cluster/gradient_environment.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "base/base64.h"
#include "base/error.h"
#include "base/printable.h"
#include "base/whole_number.h"
#include "launch/cluster/classic_flags.h"

namespace lockstep {
namespace {

constexpr const char* kConfig = "PS_CONFIG";

ClusterDescription read_config(const std::string& encoded) {
  const auto text = decode_base64(encoded);
  if (!text) {
    throw Error(ExitCode::configuration,
                fmt::format("{}={}: it is not base64; expected a TF_CONFIG in URL-safe base64, or the variable not set",
                            kConfig, escaped(encoded)));
  }
  return {.source = kConfig, .config = read_tf_config(*text, kConfig)};
}

bool is_task(const std::string& job, const std::string& index) {
  return std::ranges::find(kJobNames, job) != kJobNames.end() && parse_digits<std::int64_t>(index);
}

}  // namespace

GradientEnvironment read_gradient_environment(const Environment& environment, bool beside_tf_config) {
  const auto value = [&](const char* name) { return environment(name).value_or(""); };
  GradientEnvironment gradient{.clusters = {}, .model_path = value("PS_MODEL_PATH")};
  const std::string config = value(kConfig);
  if (!config.empty()) gradient.clusters.push_back(read_config(config));

  ClassicCluster classic{.ps_hosts = {"PS_HOSTS", value("PS_HOSTS")},
                         .worker_hosts = {"WORKER_HOSTS", value("WORKER_HOSTS")},
                         .job_name = {"TYPE"},
                         .task_index = {"INDEX"}};
  const bool is_gradients = !config.empty() || !classic.ps_hosts.value.empty() || !classic.worker_hosts.value.empty();
  if (is_gradients || (beside_tf_config && is_task(value("TYPE"), value("INDEX")))) {
    classic.job_name.value = value("TYPE");
    classic.task_index.value = value("INDEX");
  }
  if (auto description = read_classic_cluster(classic)) gradient.clusters.push_back(std::move(*description));
  return gradient;
}

}  // namespace lockstep

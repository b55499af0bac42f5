#include <fmt/format.h>

#include "base/error.h"
#include "launch/cluster/host_names.h"
#include "launch/tools/translate/sources/rank_sources.h"

namespace lockstep {
namespace {

constexpr std::size_t kMaxRanks = std::size_t{1} << 18U;

// Returns whether the ranks of the task compute on GPUs, as far as the flags say.
bool has_gpus(const PlannedTask& task) {
  return task.role != Role::parameter_server && task.ranks.value_or(task.leads_only ? 0 : 1) > 0;
}

// Appends the task's ranks to the world that they are in.
void add_ranks(const PlannedTask& task, RankList& list) {
  const int ranks = ranks_of(task, task.ranks, 0);
  std::vector<RankEntry>& world = task.role == Role::evaluator ? list.evaluators : list.ranks;
  if (static_cast<std::size_t>(ranks) > kMaxRanks - world.size()) {
    throw Error(ExitCode::configuration, fmt::format("the cluster has more than {} ranks", kMaxRanks),
                Scope::every_rank);
  }
  const std::string host = host_in(task.address);
  for (int i = 0; i < ranks; ++i) {
    world.push_back({.rank = static_cast<int>(world.size()),
                     .role = role_of(task, i),
                     .task = task.task,
                     .host = host,
                     .address = task.address,
                     .leads_only = task.leads_only && task.ranks.value_or(0) == 0,
                     .gpu = has_gpus(task) ? std::optional(i) : std::nullopt});
  }
}

std::vector<std::string> flags_for_train(const ClusterFlags& flags) {
  std::vector<std::string> given;
  if (flags.sync) given.emplace_back(*flags.sync ? "--sync" : "--nosync");
  const auto add = [&given](const char* name, std::optional<int> value) {
    if (value) given.push_back(fmt::format("--{}={}", name, *value));
  };
  add("worker_replicas", flags.worker_replicas);
  add("worker_gpu", flags.worker_gpu);
  add("ps_replicas", flags.ps_replicas);
  add("ps_gpu", flags.ps_gpu);
  return given;
}

RankList one_rank(const std::vector<std::string>& warnings) {
  const HostRun here{.host = "localhost", .ranks = 1};
  RankList list = list_of_hosts("", std::span(&here, 1));
  list.warnings = warnings;
  return list;
}

}  // namespace

RankList ranks_of_cluster(const TfConfig& config, const ClusterFlags& flags) {
  const ClusterPlan plan = plan_cluster(config, flags);
  RankList list;
  if (plan.tasks.empty()) {
    list = one_rank(config.warnings);
  } else {
    list.cluster = config.cluster;
    list.environment = config.environment;
    list.warnings = config.warnings;
    list.ranks.reserve(plan.tasks.size());
    for (const PlannedTask& task : plan.tasks) add_ranks(task, list);
    number_local_ranks(list.ranks);
    number_local_ranks(list.evaluators);
    number_gpus(list);
    if (!list.ranks.empty()) list.first_host = list.ranks.front().host;
    list.world_size = static_cast<int>(list.ranks.size());
  }
  list.warnings.insert(list.warnings.end(), plan.warnings.begin(), plan.warnings.end());
  list.train_flags = flags_for_train(flags);
  return list;
}

}  // namespace lockstep

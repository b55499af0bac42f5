#include <fmt/format.h>

#include <utility>

#include "base/error.h"
#include "launch/cluster/host_names.h"
#include "launch/cluster/place_tasks.h"
#include "launch/tools/translate/sources/rank_sources.h"

namespace lockstep {
namespace {

constexpr std::size_t kMaxRanks = std::size_t{1} << 18U;

// A process for each rank that the plan has, where the plan wants it.
std::vector<ClusterProcess> processes_of(const ClusterPlan& plan) {
  std::vector<ClusterProcess> processes;
  for (const PlannedTask& task : plan.tasks) {
    const ClusterProcess process{.host_names = {host_in(task.address)}, .task = task.task};
    const auto ranks = static_cast<std::size_t>(ranks_of(task, task.ranks, 0));
    if (ranks > kMaxRanks - processes.size()) {
      throw Error(ExitCode::configuration, fmt::format("the cluster has more than {} ranks", kMaxRanks),
                  Scope::every_rank);
    }
    processes.insert(processes.end(), ranks, process);
  }
  return processes;
}

std::vector<std::string> flags_for_train(const ClusterFlags& flags) {
  std::vector<std::string> given;
  if (flags.sync) given.emplace_back("--sync");
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
    list.warnings = config.warnings;
    const std::vector<ClusterProcess> processes = processes_of(plan);
    const Placement placement = place_tasks(plan, processes);
    for (std::size_t i = 0; i < processes.size(); ++i) {
      const PlacedProcess& placed = placement.processes[i];
      const std::string* const address = config.cluster.address(placed.task);
      RankEntry entry{.role = placed.plan.role,
                      .task = placed.task,
                      .host = processes[i].host_names.front(),
                      .address = address == nullptr ? "" : *address,
                      .gpu = placed.index_in_task};
      std::vector<RankEntry>& world = entry.role == Role::evaluator ? list.evaluators : list.ranks;
      entry.rank = static_cast<int>(world.size());
      world.push_back(std::move(entry));
    }
    number_local_ranks(list.ranks);
    number_local_ranks(list.evaluators);
    if (!list.ranks.empty()) list.first_host = list.ranks.front().host;
    list.world_size = static_cast<int>(list.ranks.size());
  }
  list.warnings.insert(list.warnings.end(), plan.warnings.begin(), plan.warnings.end());
  list.train_flags = flags_for_train(flags);
  return list;
}

}  // namespace lockstep

// Fuzzes the path from a TF_CONFIG, after one byte of flags, to the ranks: with as many processes as the plan needs,
// each on the host of its task, then each with a TF_CONFIG of its own.
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "base/served_strategy.h"
#include "fuzzing.h"
#include "launch/cluster/cluster_plan.h"
#include "launch/cluster/place_tasks.h"
#include "launch/cluster/tf_config.h"
#include "train/strategy/strategy_name.h"

using namespace lockstep;  // NOLINT(google-build-using-namespace): a program of one function

namespace {

constexpr int kMostRanks = 3;

ClusterFlags flags_of(std::uint8_t bits) {
  ClusterFlags flags;
  if ((bits & 2) != 0) flags.strategy = kParameterServer;
  if ((bits & 1) != 0) flags.sync = (bits & 32) != 0;
  if ((bits & 4) != 0) flags.worker_gpu = (bits >> 4) % (kMostRanks + 1);
  if ((bits & 8) != 0) flags.ps_gpu = (bits >> 6) % (kMostRanks + 1);
  return flags;
}

// The names of the job must survive being written and read again, and the processes' ranks must form a valid plan.
void check(const TfConfig& config, const ClusterPlan& plan, const std::vector<ClusterProcess>& processes) {
  TaskPlacement placement;
  if (!accepted({ExitCode::configuration}, [&] { placement = place_tasks(plan, processes); })) return;
  must(placement.processes.size() == processes.size());
  std::vector<RankPlan> ranks;
  for (const PlacedProcess& process : placement.processes) {
    ranks.push_back(process.plan);
    TfConfig again;
    const std::string text = tf_config_text(config.cluster, process.task, config.environment);
    if (accepted({ExitCode::configuration}, [&] { again = read_tf_config(text, "TF_CONFIG"); })) {
      must(again.cluster == config.cluster);
      must(again.environment == config.environment);
    }
  }
  check_plan(ranks, processes.size());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Input input(data, size);
  const ClusterFlags flags = flags_of(input.byte());
  const std::string text = input.text(size);
  TfConfig config;
  if (!accepted({ExitCode::configuration}, [&] { config = read_tf_config(text, "TF_CONFIG"); })) return 0;
  ClusterPlan plan;
  if (!accepted({ExitCode::configuration}, [&] { plan = plan_cluster(config, flags); })) return 0;

  std::vector<ClusterProcess> by_host;
  std::vector<ClusterProcess> by_name;
  for (const PlannedTask& task : plan.tasks) {
    for (int i = ranks_of(task, task.ranks, 0); i > 0; --i) {
      by_host.insert(by_host.begin(), {.host_names = {task.address}});
      by_name.push_back({.host_names = {}, .gpus = 0, .task = task.task});
    }
  }
  check(config, plan, by_host);
  check(config, plan, by_name);
  return 0;
}

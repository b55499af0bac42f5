#include "launch/start/windows_to_start.h"

#include <span>

#include "base/error.h"
#include "base/served_strategy.h"
#include "launch/cluster/cluster_plan.h"
#include "launch/start/launch_flags.h"
#include "launch/start/stated_cluster.h"
#include "train/strategy/strategy_name.h"

namespace lockstep {
namespace {

bool flags_make_servers(const TrainSettings& flags, const Table<StrategyKind>& strategies) {
  if (flags.sync) return false;
  const bool serves = is_given(flags, "strategy") && strategy_meant(flags.strategy, strategies) == kParameterServer;
  return serves || flags.ps_replicas.value_or(0) > 0 || !flags.ps_ranks.empty();
}

bool cluster_has_servers(const TrainSettings& flags, const std::string& cluster,
                         const Table<StrategyKind>& strategies) {
  const TfConfig config{.cluster = described_cluster(cluster), .task = {}, .environment = {}, .warnings = {}};
  return plan_cluster(config, cluster_flags(flags, strategies)).strategy == kParameterServer;
}

// Throws Error for flags or a cluster that are wrong.
Windows windows_for(const ProcessStatement& own, const std::string& cluster, bool all_on_this_host,
                    const Table<StrategyKind>& strategies) {
  const TrainSettings flags = launch_flags(std::span(&own, 1));
  if (!trains(flags) || flags.ps_transport == "p2p" || flags.on_worker_loss == "continue") return Windows::none;
  const bool is_asked_for = flags.ps_transport == "rma" || flags.ps_apply == "accumulate";
  const bool has_servers =
      cluster.empty() ? flags_make_servers(flags, strategies) : cluster_has_servers(flags, cluster, strategies);
  if (!has_servers && !is_asked_for) return Windows::none;
  if (all_on_this_host) return Windows::one_host;
  return is_asked_for ? Windows::any_hosts : Windows::none;
}

}  // namespace

Windows windows_to_start(const ProcessStatement& own, const std::string& cluster, bool all_on_this_host,
                         const Table<StrategyKind>& strategies) {
  try {
    return windows_for(own, cluster, all_on_this_host, strategies);
  } catch (const Error&) {  // plan_start() reports what is wrong, once for all processes
    return Windows::none;
  }
}

bool outlives_ranks(const ProcessStatement& own) {
  try {
    const TrainSettings flags = launch_flags(std::span(&own, 1));
    return trains(flags) && flags.on_worker_loss == "continue";
  } catch (const Error&) {
    return false;
  }
}

}  // namespace lockstep

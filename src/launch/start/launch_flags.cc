#include "launch/start/launch_flags.h"

#include <optional>
#include <vector>

#include "launch/start/plan_by_cluster.h"
#include "train/config/schedules.h"
#include "train/config/train_setting.h"
#include "train/strategy/strategy_name.h"

namespace lockstep {
namespace {

// The flags as they are given.
TrainSettings given_flags_of(std::span<const ProcessStatement> statements) {
  TrainSettings settings;
  const auto take = [&](const char* name, const ProcessStatement& statement) {
    if (!assign_given(statement.given, name, settings)) return false;
    settings.given.emplace_back(name);
    return true;
  };
  const ProcessStatement& leading = statements[leading_process(statements)];
  for (const char* name : {"worker_gpu", "ps_gpu"}) take(name, leading);
  for (const char* name : {"sync", "worker_replicas", "ps_replicas", "ps_ranks", "strategy"}) {
    if (take(name, leading)) continue;
    for (const ProcessStatement& statement : statements) {
      if (take(name, statement)) break;
    }
  }
  for (const char* name : {"strategy", "schedule", "ps_apply", "ps_transport", "on_worker_loss"}) {
    const auto value = is_given(settings, name) ? std::nullopt : given_value(leading.given, name);
    if (value && assign(train_setting(name), *value, settings).empty()) settings.given.emplace_back(name);
  }
  return settings;
}

// Only a number other than the flag's default says something about the cluster.
std::optional<int> told(std::optional<std::int64_t> number, std::int64_t if_unset) {
  return number && *number != if_unset ? std::optional(static_cast<int>(*number)) : std::nullopt;
}

}  // namespace

TrainSettings launch_flags(std::span<const ProcessStatement> statements) {
  TrainSettings settings = given_flags_of(statements);
  if (trains(settings)) return settings;
  std::erase(settings.given, "strategy");
  settings.ps_ranks.clear();
  if (!settings.sync) settings.ps_replicas.reset();
  return settings;
}

bool trains(const TrainSettings& flags) {
  const Work work = schedule_kind(flags.schedule).work;
  return work == Work::train || work == Work::test;
}

ClusterFlags cluster_flags(const TrainSettings& flags, const Table<StrategyKind>& strategies) {
  const auto ranks = [](const std::optional<std::int64_t>& number) {
    return number ? std::optional(static_cast<int>(*number)) : std::nullopt;
  };
  ClusterFlags result{.sync = is_given(flags, "sync") ? std::optional(flags.sync) : std::nullopt,
                      .worker_replicas = told(flags.worker_replicas, 1),
                      .ps_replicas = told(flags.ps_replicas, 0),
                      .worker_gpu = ranks(flags.worker_gpu),
                      .ps_gpu = ranks(flags.ps_gpu)};
  if (is_given(flags, "strategy")) {
    result.strategy = strategy_meant(flags.strategy, strategies).value_or(flags.strategy);
    result.strategy_written = flags.strategy;
  }
  return result;
}

}  // namespace lockstep

#include "launch/start/plan_by_flags.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>

#include "base/counted.h"
#include "base/error.h"
#include "base/printable.h"
#include "base/served_strategy.h"
#include "launch/cluster/cluster_plan.h"
#include "launch/start/place_servers.h"
#include "train/strategy/strategy_name.h"

namespace lockstep {
namespace {

[[noreturn]] void refuse_plan(const std::string& why) { throw Error(ExitCode::configuration, why, Scope::every_rank); }

// The flags that are given, as a text: "--ps_replicas=2 --ps_gpu=3".
std::string shown(std::initializer_list<std::pair<const char*, std::optional<std::int64_t>>> flags) {
  std::string text;
  for (const auto& [name, value] : flags) {
    if (value) text += fmt::format("{}--{}={}", text.empty() ? "" : " ", name, *value);
  }
  return text;
}

[[noreturn]] void refuse_ranks(const std::string& flags, const std::string& what, std::int64_t needed,
                               std::size_t there) {
  refuse_plan(fmt::format("{}: that is {}, and this job has {}: mpirun -np {} train, or leave the flags out", flags,
                          what, counted(static_cast<std::int64_t>(there), "rank"), needed));
}

bool has_servers(const TrainSettings& flags) { return flags.ps_replicas.value_or(0) > 0 || !flags.ps_ranks.empty(); }

// The flags that make ranks parameter servers, as they were given.
std::string shown_servers(const TrainSettings& flags) {
  std::string replicas = shown({{"ps_replicas", flags.ps_replicas}});
  if (flags.ps_ranks.empty()) return replicas;
  return fmt::format("{}{}--ps_ranks={}", replicas, replicas.empty() ? "" : " ", escaped(flags.ps_ranks));
}

// Checks that the ranks beside the parameter servers are those of the tasks that train.
void check_workers(const TrainSettings& flags, std::size_t ranks, std::int64_t servers) {
  const std::int64_t each = std::max<std::int64_t>(flags.worker_gpu.value_or(1), 1);
  const std::int64_t tasks = flags.worker_replicas.value_or(1);
  const std::int64_t training = static_cast<std::int64_t>(ranks) - servers;
  if (tasks > 1 ? training == tasks * each : training > 0 && training % each == 0) return;
  std::string given = shown({{"worker_replicas", flags.worker_replicas}, {"worker_gpu", flags.worker_gpu}});
  std::string what = counted(tasks * each, "rank");
  if (servers > 0) {
    given = fmt::format("{}{}{}", shown_servers(flags), given.empty() ? "" : " ", given);
    what =
        fmt::format("{} and {}{} to train", counted(servers, "parameter server"), tasks > 1 ? "" : "at least ", what);
  }
  refuse_ranks(given, what, servers + tasks * each, ranks);
}

// Checks that an explicit --strategy has a use for the tasks of --ps_replicas, and they for it.
void check_strategy(const TrainSettings& flags, const Table<StrategyKind>& strategies) {
  if (!is_given(flags, "strategy")) return;
  const std::string written = escaped(flags.strategy);
  const bool serves = strategy_meant(flags.strategy, strategies) == kParameterServer;
  if (flags.sync && serves) {
    refuse_plan(
        fmt::format("--sync --strategy={}: with --sync the --ps_replicas tasks compute, and none is left to hold the "
                    "parameters; leave --sync out, or give another --strategy",
                    written));
  }
  if (!flags.sync && has_servers(flags) && !serves) {
    refuse_plan(
        fmt::format("{0} --strategy={1}: without --sync these ranks are parameter servers, for which --strategy={1} "
                    "has no use; give --strategy={2}, or --sync for them to compute, or leave {0} out",
                    shown_servers(flags), written, kParameterServer));
  }
  if (serves && !has_servers(flags)) {
    refuse_plan(
        fmt::format("--strategy={}: no rank is there to hold the parameters; give --ps_replicas=K as well, which makes "
                    "K of the ranks parameter servers (mpirun -np N starts N - K that train)",
                    written));
  }
}

// The processes that are parameter servers.
std::vector<int> servers_of(const TrainSettings& flags, std::span<const ProcessFacts> processes) {
  const std::int64_t replicas = flags.ps_replicas.value_or(0);
  if (flags.ps_ranks.empty()) {
    check_workers(flags, processes.size(), replicas);
    return choose_servers(processes, replicas);
  }
  std::vector<int> servers = listed_servers(flags.ps_ranks, processes.size());
  const std::int64_t count = std::ssize(servers);
  if (replicas > 0 && replicas != count) {
    refuse_plan(
        fmt::format("{}: the list has {}; leave one of the two out", shown_servers(flags), counted(count, "rank")));
  }
  check_workers(flags, processes.size(), count);
  return servers;
}

// The first rank leads, the others are the ranks of the tasks.
StartRoles plan_led(const TrainSettings& flags, std::int64_t ps_replicas, std::size_t ranks) {
  const std::int64_t own = flags.worker_gpu.value_or(0);  // replicas of the chief's task
  const std::int64_t leading = std::max<std::int64_t>(own, 1);
  const std::int64_t computing = ps_replicas * std::max<std::int64_t>(flags.ps_gpu.value_or(1), 1);
  if (static_cast<std::int64_t>(ranks) != leading + computing) {
    refuse_ranks(
        "--sync " +
            shown({{"ps_replicas", flags.ps_replicas}, {"ps_gpu", flags.ps_gpu}, {"worker_gpu", flags.worker_gpu}}),
        fmt::format("{} of the chief's task{} and {} that compute", counted(leading, "rank"),
                    own == 0 ? ", which leads only," : "", computing),
        leading + computing, ranks);
  }
  StartRoles roles;
  roles.ranks.reserve(ranks);
  roles.worker_ids.reserve(ranks);
  for (int process = 0; process < static_cast<int>(ranks); ++process) {
    const bool chief = process == 0;
    roles.ranks.push_back({.role = chief ? Role::chief : Role::worker,
                           .index = chief ? 0 : process - 1,
                           .key = process,
                           .has_shares = !chief || own > 0});
    roles.worker_ids.push_back(process < leading ? 0 : -1);
  }
  return roles;
}

// The ranks that train follow each other in the world task by task; parameter servers have no number.
std::vector<std::int64_t> worker_ids(const TrainSettings& flags, const std::vector<RankPlan>& ranks) {
  const std::int64_t each = std::max<std::int64_t>(flags.worker_gpu.value_or(1), 1);
  std::vector<std::int64_t> ids;
  ids.reserve(ranks.size());
  for (const RankPlan& rank : ranks) {
    const bool trains = rank.role == Role::chief || rank.role == Role::worker;
    ids.push_back(trains ? (rank.role == Role::chief ? 0 : rank.index + 1) / each : -1);
  }
  return ids;
}

}  // namespace

StartRoles plan_by_flags(const TrainSettings& flags, const Table<StrategyKind>& strategies,
                         std::span<const ProcessFacts> processes, const JobPlanner& otherwise) {
  check_strategy(flags, strategies);
  const std::int64_t ps_replicas = flags.ps_replicas.value_or(0);
  if (flags.sync && ps_replicas > 0) {
    if (const std::int64_t worker_replicas = flags.worker_replicas.value_or(1); worker_replicas > 1) {
      refuse_plan(
          fmt::format("--sync --ps_replicas={} --worker_replicas={}: one task leads those that compute; leave "
                      "--worker_replicas out",
                      ps_replicas, worker_replicas));
    }
    return plan_led(flags, ps_replicas, processes.size());
  }
  StartRoles roles;
  if (!flags.sync && has_servers(flags)) {
    roles.ranks = plan_with_servers(processes.size(), servers_of(flags, processes));
    roles.strategy = kParameterServer;
  } else {
    check_workers(flags, processes.size(), 0);
    roles.ranks = otherwise(processes);
  }
  roles.worker_ids = worker_ids(flags, roles.ranks);
  return roles;
}

}  // namespace lockstep

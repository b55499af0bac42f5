#include "launch/start/plan_start.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "base/error.h"
#include "base/printable.h"
#include "launch/start/check_evaluator.h"
#include "launch/start/launch_flags.h"
#include "launch/start/plan_by_cluster.h"
#include "launch/start/plan_by_flags.h"
#include "launch/start/process_statement.h"
#include "train/config/settings.h"

namespace lockstep {
namespace {

std::string who(const ProcessFacts& facts, const RankPlan& plan, int rank) {
  const std::string role =
      plan.role == Role::chief ? name(plan.role) : fmt::format("{} {}", name(plan.role), plan.index);
  return fmt::format("rank {} ({}, {})", rank, role, facts.host);
}

// The rank of each process in its world.
std::vector<int> ranks_of(const std::vector<RankPlan>& plan) {
  std::vector<std::size_t> order(plan.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return std::pair(plan[i].color, plan[i].key); });
  std::vector<int> ranks(plan.size());
  int color = -1;
  int rank = 0;
  for (const std::size_t i : order) {
    rank = plan[i].color == color ? rank + 1 : 0;
    color = plan[i].color;
    ranks[i] = rank;
  }
  return ranks;
}

// The process that is rank 0 of a world, by its role; nothing if there is none.
std::optional<std::size_t> first_of(Role role, const std::vector<RankPlan>& plan, const std::vector<int>& ranks) {
  for (std::size_t i = 0; i < plan.size(); ++i) {
    if (plan[i].role == role && ranks[i] == 0) return i;
  }
  return {};
}

// Makes workers of the parameter servers, for a job that trains nothing.
void let_servers_compute(StartRoles& roles) {
  const auto workers = static_cast<int>(std::ranges::count(roles.ranks, Role::worker, &RankPlan::role));
  for (RankPlan& rank : roles.ranks) {
    if (rank.role != Role::parameter_server) continue;
    rank.role = Role::worker;
    rank.index += workers;
    rank.has_shares = true;
  }
  roles.strategy.clear();
}

StartRoles plan_roles(std::span<const ProcessFacts> processes, std::span<const ProcessStatement> statements,
                      const JobPlanner& otherwise, const Table<StrategyKind>& strategies,
                      std::vector<std::string>& warnings) {
  const TrainSettings flags = launch_flags(statements);
  if (!has_cluster(processes)) return plan_by_flags(flags, strategies, processes, otherwise);
  if (!flags.ps_ranks.empty()) {
    throw Error(ExitCode::configuration,
                fmt::format("--ps_ranks={}: the cluster says which tasks are parameter servers; leave the flag out",
                            escaped(flags.ps_ranks)),
                Scope::every_rank);
  }
  StartRoles roles = plan_by_cluster(processes, statements, cluster_flags(flags, strategies), warnings);
  if (!trains(flags)) let_servers_compute(roles);
  return roles;
}

void check_statements(std::span<const ProcessFacts> processes, std::span<const ProcessStatement> statements) {
  for (std::size_t i = 0; i < statements.size(); ++i) {
    if (statements[i].refusal.empty()) continue;
    throw Error(ExitCode::configuration,
                fmt::format("process {} on {}: {}", i, processes[i].host, statements[i].refusal), Scope::every_rank);
  }
}

// T2T counts the tasks that train from the chief, which is 0. The flag's default value says nothing.
void check_worker_id(const GivenFlags& given, std::int64_t id, const std::string& who) {
  TrainSettings settings;
  if (id < 0 || !assign_given(given, "worker_id", settings)) return;
  const std::int64_t said = settings.worker_id.value_or(0);
  if (said == 0 || said == id) return;
  throw Error(ExitCode::configuration,
              fmt::format("--worker_id={} on {}: that one is {} (the chief is 0); leave the flag out, or start the "
                          "processes in their order",
                          said, who, id),
              Scope::every_rank);
}

}  // namespace

StartPlan plan_start(std::span<const ProcessFacts> processes, const JobPlanner& otherwise,
                     const Table<StrategyKind>& strategies) {
  std::vector<ProcessStatement> statements;
  statements.reserve(processes.size());
  for (const ProcessFacts& facts : processes) statements.push_back(process_statement(facts.statement));
  check_statements(processes, statements);

  StartPlan start;
  const StartRoles roles = plan_roles(processes, statements, otherwise, strategies, start.warnings);
  start.ranks = roles.ranks;
  check_plan(start.ranks, processes.size());

  const std::vector<int> ranks = ranks_of(start.ranks);
  const auto owner = [&](std::size_t i) {
    return FlagsOwner{.given = statements[i].given,
                      .who = who(processes[i], start.ranks[i], ranks[i]),
                      .evaluates = start.ranks[i].role == Role::evaluator};
  };
  const std::optional<std::size_t> chief_at = first_of(Role::chief, start.ranks, ranks);
  const std::optional<std::size_t> evaluator_at = first_of(Role::evaluator, start.ranks, ranks);
  const FlagsOwner chief = chief_at ? owner(*chief_at) : FlagsOwner{};
  FlagsOwner evaluator;  // with the flags that hold for it
  if (evaluator_at) {
    evaluator = owner(*evaluator_at);
    evaluator.given = merge_flags(chief, evaluator);
    check_evaluator(chief_at ? &chief : nullptr, evaluator, statements[*evaluator_at].told_by);
  }
  std::set<std::string> hosts;
  start.reach.ranks = 0;
  for (std::size_t i = 0; i < processes.size(); ++i) {
    const FlagsOwner process = owner(i);
    check_worker_id(process.given, roles.worker_ids[i], process.who);
    start.flags.push_back(merge_flags(process.evaluates ? evaluator : chief, process));
    for (const std::string& warning : statements[i].warnings) {
      if (std::ranges::find(start.warnings, warning) == start.warnings.end()) start.warnings.push_back(warning);
    }
    if (process.evaluates) continue;
    if (!roles.strategy.empty()) start.flags.back().flags.try_emplace("strategy", roles.strategy);
    start.has_windows = start.has_windows && statements[i].has_windows;
    ++start.reach.ranks;
    hosts.insert(processes[i].host);
  }
  start.reach.hosts = static_cast<int>(hosts.size());
  return start;
}

}  // namespace lockstep

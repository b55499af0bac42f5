#include "launch/start/plan_by_flags.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>

#include "base/counted.h"
#include "base/error.h"

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

void check_workers(const TrainSettings& flags, std::size_t ranks) {
  const std::int64_t each = std::max<std::int64_t>(flags.worker_gpu.value_or(1), 1);
  const std::int64_t tasks = flags.worker_replicas.value_or(1);
  const auto there = static_cast<std::int64_t>(ranks);
  if (tasks > 1 ? there == tasks * each : there % each == 0) return;
  refuse_ranks(shown({{"worker_replicas", flags.worker_replicas}, {"worker_gpu", flags.worker_gpu}}),
               counted(tasks * each, "rank"), tasks * each, ranks);
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

// Every rank trains, and the ranks of a task follow each other in the world.
std::vector<std::int64_t> worker_ids(const TrainSettings& flags, const std::vector<RankPlan>& ranks) {
  const std::int64_t each = std::max<std::int64_t>(flags.worker_gpu.value_or(1), 1);
  std::vector<std::int64_t> ids;
  ids.reserve(ranks.size());
  for (const RankPlan& rank : ranks) ids.push_back((rank.role == Role::chief ? 0 : rank.index + 1) / each);
  return ids;
}

}  // namespace

StartRoles plan_by_flags(const TrainSettings& flags, std::span<const ProcessFacts> processes,
                         const JobPlanner& otherwise) {
  const std::int64_t ps_replicas = flags.ps_replicas.value_or(0);
  if (ps_replicas == 0) {
    check_workers(flags, processes.size());
    std::vector<RankPlan> ranks = otherwise(processes);
    std::vector<std::int64_t> ids = worker_ids(flags, ranks);
    return {.ranks = std::move(ranks), .worker_ids = std::move(ids)};
  }
  if (!flags.sync) {
    refuse_plan(
        fmt::format("--ps_replicas={} without --sync: there are no parameter servers yet; with --sync these tasks "
                    "compute, or leave the flag out, and all ranks do",
                    ps_replicas));
  }
  if (const std::int64_t worker_replicas = flags.worker_replicas.value_or(1); worker_replicas > 1) {
    refuse_plan(
        fmt::format("--sync --ps_replicas={} --worker_replicas={}: one task leads those that compute; leave "
                    "--worker_replicas out",
                    ps_replicas, worker_replicas));
  }
  return plan_led(flags, ps_replicas, processes.size());
}

}  // namespace lockstep

#include "launch/job/job_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/error.h"

namespace lockstep {
namespace {

// Checks a condition that only a bug of the planner violates, on every rank alike.
void require(bool holds, const std::string& why) {
  if (!holds) throw Error(ExitCode::internal, "the plan of the job is wrong: " + why, Scope::every_rank);
}

// ranks: of one world, in its order.
void check_world(const std::vector<RankPlan>& ranks) {
  const auto evaluates = [](const RankPlan& rank) { return rank.role == Role::evaluator; };
  if (std::ranges::all_of(ranks, evaluates)) return;
  require(ranks.front().role == Role::chief, fmt::format("rank 0 of a world is a {}", name(ranks.front().role)));
  require(std::ranges::count(ranks, Role::chief, &RankPlan::role) == 1, "a world with more than one chief");
  require(std::ranges::none_of(ranks, evaluates), "an evaluator in a world that trains");
  require(std::ranges::is_sorted(ranks, {}, &RankPlan::role),
          "the ranks of a world are not in the order chief, workers, parameter servers, data ranks");
  const auto computes = [](const RankPlan& rank) {
    return rank.has_shares && (rank.role == Role::chief || rank.role == Role::worker);
  };
  require(std::ranges::any_of(ranks, computes), "a world in which nobody has a share of the data");
}

}  // namespace

std::vector<RankPlan> plan_workers(std::span<const ProcessFacts> processes) {
  std::vector<RankPlan> plan;
  plan.reserve(processes.size());
  for (int process = 0; process < static_cast<int>(processes.size()); ++process) {
    plan.push_back(
        {.role = process == 0 ? Role::chief : Role::worker, .index = std::max(process - 1, 0), .key = process});
  }
  return plan;
}

void check_plan(std::span<const RankPlan> plan, std::size_t processes) {
  require(plan.size() == processes, fmt::format("a plan of {} ranks for {} processes", plan.size(), processes));
  std::map<int, std::vector<RankPlan>> worlds;  // by color
  for (const RankPlan& rank : plan) worlds[rank.color].push_back(rank);
  for (auto& [color, ranks] : worlds) {
    require(color >= 0, fmt::format("a world of color {}", color));
    std::ranges::stable_sort(ranks, {}, &RankPlan::key);
    check_world(ranks);
  }
}

}  // namespace lockstep

#include "launch/job/job_plan.h"

#include <doctest/doctest.h>

#include "base/error.h"

namespace lockstep {
namespace {

constexpr RankPlan kChief{.role = Role::chief, .key = 0};
constexpr RankPlan kWorker{.role = Role::worker, .key = 1};

}  // namespace

TEST_CASE("without a word from anybody all train, and the launcher's first is the chief") {
  const std::vector<ProcessFacts> processes{{"a", 0}, {"a", 1}, {"b", 0}};
  const std::vector<RankPlan> plan = plan_workers(processes);
  REQUIRE(plan.size() == 3);
  for (int process = 0; process < 3; ++process) {
    const RankPlan& rank = plan[static_cast<std::size_t>(process)];
    CHECK(rank.role == (process == 0 ? Role::chief : Role::worker));
    CHECK(rank.index == (process == 2 ? 1 : 0));
    CHECK(rank.color == 0);
    CHECK(rank.key == process);
    CHECK(rank.has_shares);
  }
  CHECK_NOTHROW(check_plan(plan, 3));
  CHECK_NOTHROW(check_plan(plan_workers({{{"a", 0}}}), 1));
}

TEST_CASE("plans that form no world are refused") {
  CHECK_NOTHROW(check_plan(std::vector<RankPlan>{kWorker, kChief}, 2));  // the chief need not be the launcher's first
  CHECK_THROWS_AS(check_plan(std::vector<RankPlan>{kChief, kWorker}, 3), Error);
  CHECK_THROWS_AS(check_plan(std::vector<RankPlan>{kWorker, kWorker}, 2), Error);
  CHECK_THROWS_AS(check_plan(std::vector<RankPlan>{kChief, kChief}, 2), Error);
  RankPlan late_chief = kChief;
  late_chief.key = 2;
  CHECK_THROWS_AS(check_plan(std::vector<RankPlan>{late_chief, kWorker}, 2), Error);
  RankPlan server{.role = Role::parameter_server, .key = 1};
  RankPlan last_worker{.role = Role::worker, .key = 2};
  CHECK_THROWS_AS(check_plan(std::vector<RankPlan>{kChief, server, last_worker}, 3), Error);
  RankPlan nothing = kChief;
  nothing.has_shares = false;
  CHECK_THROWS_AS(check_plan(std::vector<RankPlan>{nothing, server}, 2), Error);
  CHECK_NOTHROW(check_plan(std::vector<RankPlan>{nothing, kWorker}, 2));
}

TEST_CASE("an evaluator has a world of its own") {
  RankPlan evaluator{.role = Role::evaluator, .key = 1};
  CHECK_THROWS_AS(check_plan(std::vector<RankPlan>{kChief, evaluator}, 2), Error);
  evaluator.color = 1;
  CHECK_NOTHROW(check_plan(std::vector<RankPlan>{kChief, evaluator}, 2));
  evaluator.color = -1;
  CHECK_THROWS_AS(check_plan(std::vector<RankPlan>{kChief, evaluator}, 2), Error);
}

}  // namespace lockstep

#include "collective/wire/plan_choice.h"

#include <doctest/doctest.h>

namespace lockstep {

TEST_CASE("small sums take few rounds, and the size that is small grows with the ranks") {
  const auto plan = [](std::int64_t bytes, int ranks) { return choose_plan(bytes, false, ranks, SumOrder::any); };
  CHECK(plan(8 << 10, 4) == SumPlan::doubling);
  CHECK(plan((8 << 10) + 4, 4) == SumPlan::halving);
  CHECK(plan(256 << 10, 4) == SumPlan::halving);
  CHECK(plan((256 << 10) + 4, 4) == SumPlan::ring);
  CHECK(plan(4 << 20, 32) == SumPlan::ring);
  CHECK(plan(4 << 20, 64) == SumPlan::halving);
  CHECK(plan(48 << 10, 3) == SumPlan::halving);
  CHECK(plan((48 << 10) + 4, 3) == SumPlan::ring);
}

TEST_CASE("the order of ranks is kept up to eight of them") {
  const auto plan = [](std::int64_t bytes, int ranks) { return choose_plan(bytes, false, ranks, SumOrder::ranks); };
  CHECK(plan(64, 8) == SumPlan::one_round);
  CHECK(plan(64 << 20, 8) == SumPlan::direct);
  CHECK(plan(64, 9) == SumPlan::doubling);
  CHECK(plan(64 << 20, 9) == SumPlan::ring);
}

TEST_CASE("values of 16 bits go round no ring") {
  CHECK(choose_plan(64 << 20, true, 4, SumOrder::any) == SumPlan::direct);
  CHECK(choose_plan(64 << 20, true, 300, SumOrder::ranks) == SumPlan::direct);
}

}  // namespace lockstep

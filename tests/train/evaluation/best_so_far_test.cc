#include "train/evaluation/best_so_far.h"

#include <doctest/doctest.h>

#include <limits>
#include <vector>

namespace lockstep {
namespace {

constexpr auto kHigher = Metric::Better::higher;
constexpr auto kLower = Metric::Better::lower;

// Returns the best of evaluations after every 100 steps.
BestSoFar best_of(const std::vector<double>& values, Metric::Better better) {
  BestSoFar best;
  std::int64_t step = 0;
  for (const double value : values) best.add(step += 100, value, better);
  return best;
}

}  // namespace

TEST_CASE("the best so far, by what is better, and how long there was no gain") {
  CHECK(best_of({}, kLower) == BestSoFar{});
  CHECK(best_of({0.5}, kLower) == BestSoFar{.step = 100, .value = 0.5, .last_step = 100});
  CHECK(best_of({0.5, 0.4, 0.6, 0.7}, kLower) ==
        BestSoFar{.step = 200, .value = 0.4, .last_step = 400, .without_gain = 2});
  CHECK(best_of({0.5, 0.4, 0.6, 0.7}, kHigher) == BestSoFar{.step = 400, .value = 0.7, .last_step = 400});
  CHECK(best_of({0, -1, 3}, kHigher).value == 3);
  CHECK(best_of({-1, 0}, kHigher) == BestSoFar{.step = 200, .value = 0, .last_step = 200});
}

TEST_CASE("of equals the earliest is the best, and no gain") {
  CHECK(best_of({0.5, 0.5, 0.5}, kLower) == BestSoFar{.step = 100, .value = 0.5, .last_step = 300, .without_gain = 2});
}

TEST_CASE("what is not finite is never the best") {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  CHECK(best_of({kInfinity, kNan}, kLower) == BestSoFar{.last_step = 200, .without_gain = 2});
  CHECK(best_of({kInfinity}, kHigher) == BestSoFar{.last_step = 100, .without_gain = 1});
  CHECK(best_of({kInfinity, 3, kNan}, kLower) ==
        BestSoFar{.step = 200, .value = 3, .last_step = 300, .without_gain = 1});
}

TEST_CASE("a step that is evaluated again counts once") {
  BestSoFar best = best_of({0.5, 0.6}, kLower);
  const BestSoFar before = best;
  CHECK(!best.add(200, 0.1, kLower));
  CHECK(!best.add(100, 0.1, kLower));
  CHECK(best == before);
  CHECK(best.add(300, 0.1, kLower));
}

}  // namespace lockstep

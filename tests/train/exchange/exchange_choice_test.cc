#include "train/exchange/exchange_choice.h"

#include <doctest/doctest.h>

namespace lockstep {
namespace {

constexpr Overlap kInline = Overlap::inline_calls;
constexpr OpenExchange kSizes{.fusion_mb = true};
constexpr OpenExchange kOverlaps{.overlap = true};
constexpr OpenExchange kBoth{.fusion_mb = true, .overlap = true};
constexpr std::int64_t kMegabyte = 1 << 18;  // in elements

using Seconds = std::vector<std::vector<double>>;

}  // namespace

TEST_CASE("a second thread may pay over a network or with a core that no rank needs") {
  CHECK_FALSE(thread_may_pay(1, 1, 64));
  CHECK_FALSE(thread_may_pay(2, 1, 2));
  CHECK_FALSE(thread_may_pay(4, 1, 2));
  CHECK(thread_may_pay(2, 1, 3));
  CHECK(thread_may_pay(2, 2, 1));
}

TEST_CASE("candidates: the usual setting first, and no two that are the same") {
  const ExchangeSetting usual{4, kInline};
  const auto of = [&](OpenExchange open, std::int64_t elements) { return exchange_candidates(open, usual, elements); };
  CHECK(of(kSizes, 100 * kMegabyte) == std::vector<ExchangeSetting>{usual, {1}, {16}, {0.25}, {64}});
  CHECK(of(kSizes, 10 * kMegabyte) == std::vector<ExchangeSetting>{usual, {1}, {16}, {0.25}});
  CHECK(of(kSizes, 4 * kMegabyte) == std::vector<ExchangeSetting>{usual, {1}, {0.25}});
  CHECK(of(kSizes, kMegabyte / 4) == std::vector<ExchangeSetting>{usual});
  CHECK(of(kSizes, kMegabyte / 4 + 1) == std::vector<ExchangeSetting>{usual, {0.25}});
  CHECK(of(kOverlaps, 5 * kMegabyte) == std::vector<ExchangeSetting>{usual, {4, Overlap::thread}});
  // A single bucket is complete only after the backward pass, so nothing can overlap it.
  CHECK(of(kOverlaps, 4 * kMegabyte) == std::vector<ExchangeSetting>{usual});
  CHECK(of(kBoth, 2 * kMegabyte) ==
        std::vector<ExchangeSetting>{usual, {1}, {1, Overlap::thread}, {0.25}, {0.25, Overlap::thread}});
  // A value that the user gave is not varied.
  CHECK(exchange_candidates(kSizes, {4, Overlap::thread}, 2 * kMegabyte) ==
        std::vector<ExchangeSetting>{{4, Overlap::thread}, {1, Overlap::thread}, {0.25, Overlap::thread}});
  CHECK(exchange_candidates(kOverlaps, {0.5, kInline}, kMegabyte) ==
        std::vector<ExchangeSetting>{{0.5, kInline}, {0.5, Overlap::thread}});
}

TEST_CASE("turns fit into the time: rounds at least three, candidates as many as can be") {
  const auto fits = [](const TurnPlan& plan, double step, double most) {
    return plan.candidates * plan.rounds * (plan.steps + plan.unmeasured()) * step <= most + 1e-9;
  };
  for (const double step : {1e-5, 0.001, 0.003, 0.02, 0.05, 0.2, 0.5, 1.0}) {
    for (const int candidates : {2, 3, 5, 10}) {
      CAPTURE(step);
      CAPTURE(candidates);
      const TurnPlan plan = plan_turns(candidates, step, 6);
      CHECK(plan.candidates >= 2);
      CHECK(plan.candidates <= candidates);
      CHECK(plan.rounds >= 3);
      CHECK(plan.rounds <= 7);
      CHECK(plan.steps >= 1);
      CHECK(fits(plan, step, 6));
    }
  }
  CHECK(plan_turns(5, 0.003, 6).candidates == 5);
  CHECK(plan_turns(5, 0.003, 6).rounds == 7);
  CHECK(plan_turns(5, 0.003, 6).steps == 10);  // 30 ms
  CHECK(plan_turns(5, 0.003, 6).unmeasured() == 1);
  CHECK(plan_turns(5, 0.3, 6).candidates == 4);
  CHECK(plan_turns(5, 0.3, 6).rounds == 5);
  CHECK(plan_turns(5, 0.3, 6).steps == 1);
  CHECK(plan_turns(5, 0.3, 6).unmeasured() == 0);
  CHECK(plan_turns(5, 1, 6).candidates == 2);
  CHECK(plan_turns(5, 1, 6).rounds == 3);
  CHECK(plan_turns(5, 1.1, 6).candidates == 0);
  CHECK(plan_turns(2, 0, 6).candidates == 2);
}

TEST_CASE("what nobody asked to be measured takes a fiftieth of the run at most") {
  CHECK(measuring_seconds(kOverlaps, 0.01, 1000) == doctest::Approx(0.2));
  CHECK(measuring_seconds(kOverlaps, 1, 1000) == kMostMeasuringSeconds);
  CHECK(measuring_seconds(kSizes, 0.01, 1) == kMostMeasuringSeconds);
  CHECK(measuring_seconds(kBoth, 0.01, 1) == kMostMeasuringSeconds);
  CHECK_FALSE(worth_measuring(kOverlaps, 299));
  CHECK(worth_measuring(kOverlaps, 300));
  CHECK(worth_measuring(kSizes, 1));
}

TEST_CASE("the usual setting is kept unless another is faster beyond noise") {
  // Equal times, and slower ones.
  CHECK(decide_exchange(Seconds{{1, 1, 1}, {1, 1, 1}}).chosen == 0);
  CHECK(decide_exchange(Seconds{{1, 1, 1}, {2, 2, 2}}).chosen == 0);
  CHECK(decide_exchange(Seconds{{1, 1, 1}, {2, 2, 2}}).gain == doctest::Approx(-1));
  // Steadily 10 % faster, however the machine varies from round to round.
  const ExchangeDecision faster = decide_exchange(Seconds{{1, 2, 4, 3, 1}, {0.9, 1.8, 3.6, 2.7, 0.9}});
  CHECK(faster.chosen == 1);
  CHECK(faster.gain == doctest::Approx(0.1));
  // 1.9 % is too little, however steady.
  CHECK(decide_exchange(Seconds{{1, 1, 1}, {0.981, 0.981, 0.981}}).chosen == 0);
  CHECK(decide_exchange(Seconds{{1, 1, 1}, {0.979, 0.979, 0.979}}).chosen == 1);
  // A median gain of 10 %, but rounds that differ by as much: ratios 0.7, 0.8, 0.9, 1, 1.1.
  const ExchangeDecision noisy = decide_exchange(Seconds{{1, 1, 1, 1, 1}, {0.9, 1.1, 0.7, 1, 0.8}});
  CHECK(noisy.chosen == 0);
  CHECK(noisy.rival == 1);
  CHECK(noisy.gain == doctest::Approx(0.1));
  // All of three rounds have to agree; of five one may differ.
  CHECK(decide_exchange(Seconds{{1, 1, 1}, {0.9, 0.9, 1.01}}).chosen == 0);
  CHECK(decide_exchange(Seconds{{1, 1, 1, 1, 1}, {0.9, 0.9, 0.9, 0.9, 1.01}}).chosen == 1);
  CHECK(decide_exchange(Seconds{{1, 1, 1, 1, 1}, {0.9, 0.9, 0.9, 1.01, 1.01}}).chosen == 0);
  // A round disturbed by something else does not count.
  CHECK(decide_exchange(Seconds{{1, 1, 1, 1, 9}, {0.9, 0.9, 5, 0.9, 0.9}}).chosen == 1);
}

TEST_CASE("of several that are faster the fastest is chosen, and none that may be so by chance") {
  CHECK(decide_exchange(Seconds{{1, 1, 1}, {0.9, 0.9, 0.9}, {0.8, 0.8, 0.8}}).chosen == 2);
  CHECK(decide_exchange(Seconds{{1, 1, 1}, {0.9, 0.9, 0.9}, {0.5, 0.8, 1.1}}).chosen == 1);
  CHECK(decide_exchange(Seconds{{1, 1, 1}, {0.5, 0.8, 1.1}, {0.9, 0.9, 0.9}}).chosen == 2);
  CHECK(decide_exchange(Seconds{{1, 1, 1}, {1.2, 1.2, 1.2}, {1.1, 1.1, 1.1}}).rival == 2);
}

TEST_CASE("the line says what was measured, and what came of it") {
  const std::vector<ExchangeSetting> candidates{{4, kInline}, {1, Overlap::thread}};
  const ExchangeDecision won{.chosen = 1, .rival = 1, .gain = 0.125};
  const ExchangeDecision close{.rival = 1, .gain = 0.015};
  const ExchangeDecision lost{.rival = 1, .gain = -0.03};
  CHECK(describe_choice(kSizes, candidates, won, 126, 1.25) ==
        "fusion_mb: 1 MB, 12.5 % faster than 4 MB (126 steps measured in 1.2 s)");
  CHECK(describe_choice(kSizes, candidates, close, 126, 1.3) ==
        "fusion_mb: 4 MB kept: 1 MB was 1.5 % faster, within noise (126 steps measured in 1.3 s)");
  CHECK(describe_choice(kOverlaps, candidates, lost, 9, 1.3) ==
        "overlap: inline kept: thread was 3.0 % slower (9 steps measured in 1.3 s)");
  CHECK(describe_choice(kBoth, candidates, won, 9, 2) ==
        "fusion_mb and overlap: 1 MB thread, 12.5 % faster than 4 MB inline (9 steps measured in 2.0 s)");
  CHECK(describe_kept(kSizes, candidates[0], "why") == "fusion_mb: 4 MB kept: why");
}

}  // namespace lockstep

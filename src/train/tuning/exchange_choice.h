#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "collective/communicator.h"

// Which bucket size and which overlap a run of --strategy=sync takes where it is asked to find out: --fusion_mb=tune
// and --overlap=auto. Arithmetic alone, the same on every rank; measure_exchange.h makes the steps.
namespace lockstep {

// One way to exchange a step's gradients.
struct ExchangeSetting {
  double fusion_mb = 0;
  Overlap overlap = Overlap::inline_calls;
  bool operator==(const ExchangeSetting&) const = default;
};

// What of it is to be measured.
struct OpenExchange {
  bool fusion_mb = false;
  bool overlap = false;
  bool any() const { return fusion_mb || overlap; }
};

// Whether a second thread may be worth a measurement: a network or a core that no rank needs pays for it. On busy cores
// of one host it costs 9 to 16 % (two ranks, two cores), and one rank exchanges nothing. ranks, cores: of that host.
bool thread_may_pay(int ranks, int hosts, int cores);

// What is to be measured against each other, the usual setting first, then the likelier ones; all of them differ: sizes
// that hold the whole store of `elements` are one, whose exchange has nothing left to overlap with.
std::vector<ExchangeSetting> exchange_candidates(OpenExchange open, const ExchangeSetting& usual,
                                                 std::int64_t elements);

// Turns of several steps, of one candidate after the other, round after round, so that a machine that is busy for a
// while slows all of them. Where a turn has several steps, its first is not measured, because its memory is new, and
// their median counts.
struct TurnPlan {
  int candidates = 0;  // the first ones; 0: nothing is measured
  int rounds = 0;
  int steps = 0;  // measured ones of a turn
  int unmeasured() const { return steps > 1 ? 1 : 0; }
};
// As many candidates, in five rounds or more, as fit into the time; of two, three rounds are better than nothing.
inline constexpr int kLeastRounds = 3;
TurnPlan plan_turns(int candidates, double step_seconds, double most_seconds);

// The time that measuring may take. Where nobody asked for it (--overlap=auto), no more than a fiftieth of what the
// run will.
double measuring_seconds(OpenExchange open, double step_seconds, std::int64_t steps_left);
// Whether the run is long enough to find out how long a step takes, which takes up to kProbeSteps: as above.
bool worth_measuring(OpenExchange open, std::int64_t steps_left);
inline constexpr int kProbeSteps = 6;
inline constexpr double kMostMeasuringSeconds = 6;

// What the turns say. seconds[c][r]: of a step of candidate c in round r. A candidate's times are divided by the usual
// setting's of the same round; it is faster beyond noise if the median of these ratios is below 1 by 2 % and by more
// than two median absolute deviations, and four of five rounds, or all of fewer, agree. The fastest such one is chosen,
// else the usual.
struct ExchangeDecision {
  std::size_t chosen = 0;  // 0: the usual one
  std::size_t rival = 0;   // the fastest of the others
  double gain = 0;         // of the rival: 0.07 = its steps take 7 % less time; negative: more
};
ExchangeDecision decide_exchange(std::span<const std::vector<double>> seconds);

// "fusion_mb: 4 MB kept: 1 MB was 1.2 % faster, within noise (126 steps measured in 1.3 s)". REQUIRES: two candidates.
std::string describe_choice(OpenExchange open, std::span<const ExchangeSetting> candidates,
                            const ExchangeDecision& decision, std::int64_t steps, double seconds);
// "fusion_mb: 4 MB kept: WHY"
std::string describe_kept(OpenExchange open, const ExchangeSetting& kept, const std::string& why);

}  // namespace lockstep

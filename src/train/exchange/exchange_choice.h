#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "collective/communicator.h"

// The choice of bucket size and overlap for a run of --strategy=sync that is asked to find them: --fusion_mb=tune and
// --overlap=auto. Arithmetic alone, the same on every rank; measure_exchange.h makes the steps.
namespace lockstep {

// One way to exchange a step's gradients.
struct ExchangeSetting {
  double fusion_mb = 0;
  Overlap overlap = Overlap::inline_calls;
  bool operator==(const ExchangeSetting&) const = default;
};

// The parts of an ExchangeSetting to measure.
struct OpenExchange {
  bool fusion_mb = false;
  bool overlap = false;
  bool any() const { return fusion_mb || overlap; }
};

// True if a second thread may be worth a measurement: a network or a core that no rank needs pays for it. On busy cores
// of one host it costs 9 to 16 % (two ranks, two cores), and one rank exchanges nothing. ranks: those of the job;
// cores: of one host.
bool thread_may_pay(int ranks, int hosts, int cores);

// The settings to measure against each other, the usual one first, then the likelier ones. All differ in what they do:
// of the sizes whose bucket holds all `elements` one is taken, without the other overlap, as nothing is left to overlap
// with.
std::vector<ExchangeSetting> exchange_candidates(OpenExchange open, const ExchangeSetting& usual,
                                                 std::int64_t elements);

// A plan of turns: each is several steps of one candidate, candidate after candidate, round after round, so that a
// machine that is busy for a while slows all of them. If a turn measures several steps, of which the median counts, one
// more comes first that is not measured, because its memory is new.
struct TurnPlan {
  int candidates = 0;  // number of candidates, the first ones; 0: nothing is measured
  int rounds = 0;
  int steps = 0;  // measured steps of a turn
  int unmeasured() const { return steps > 1 ? 1 : 0; }
};
// Plans as many candidates, in five to seven rounds, as fit into the time; if only two fit, three rounds are better
// than nothing.
inline constexpr int kLeastRounds = 3;
TurnPlan plan_turns(int candidates, double step_seconds, double most_seconds);

// The time that measuring may take, at most kMostMeasuringSeconds. If the user did not ask for it (--overlap=auto), no
// more than a fiftieth of the time of the steps left.
double measuring_seconds(OpenExchange open, double step_seconds, std::int64_t steps_left);
// Returns whether the run is long enough to measure how long a step takes, which takes up to kProbeSteps: by the same
// rule.
bool worth_measuring(OpenExchange open, std::int64_t steps_left);
inline constexpr int kProbeSteps = 6;
inline constexpr double kMostMeasuringSeconds = 6;

// The decision by the turns. seconds[c][r]: time of a step of candidate c in round r. A candidate's times are divided
// by the usual setting's of the same round; it is faster beyond noise if the median of these ratios is below 1 by more
// than 2 % and by more than two median absolute deviations, and at most a fifth of the rounds disagree. The fastest
// such candidate is chosen, else the usual setting.
struct ExchangeDecision {
  std::size_t chosen = 0;  // 0: the usual one
  std::size_t rival = 0;   // fastest of the others, those beyond noise first
  double gain = 0;         // gain of the rival: 0.07 = its steps take 7 % less time; negative: more
};
ExchangeDecision decide_exchange(std::span<const std::vector<double>> seconds);

// A line for the log: "fusion_mb: 4 MB kept: 1 MB was 1.2 % faster, within noise (126 steps measured in 1.3 s)".
// REQUIRES: two candidates.
std::string describe_choice(OpenExchange open, std::span<const ExchangeSetting> candidates,
                            const ExchangeDecision& decision, std::int64_t steps, double seconds);
// A line if nothing was compared: "fusion_mb: 4 MB kept: WHY".
std::string describe_kept(OpenExchange open, const ExchangeSetting& kept, const std::string& why);

}  // namespace lockstep

#include "train/exchange/exchange_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/median.h"
#include "collective/bucket_plan.h"
#include "train/config/settings.h"

namespace lockstep {
namespace {

// Powers of four around the usual size of buckets; the likelier ones first. Below the smallest the latency of a call
// counts; the largest leaves hardly anything to overlap with.
constexpr double kBucketMegabytes[] = {4, 1, 16, 0.25, 64};

// A turn lasts as long as several time slices of the scheduler, unless that is too many steps.
constexpr double kTurnSeconds = 0.03;
constexpr double kMostTurnSteps = 16;
constexpr int kGoodRounds = 5;
constexpr int kMostRounds = 7;
constexpr int kLeastCandidates = 2;
constexpr double kLeastGain = 0.02;
constexpr double kShareOfRun = 0.02;

bool is_whole(double megabytes, std::int64_t elements) { return bucket_elements(megabytes) >= elements; }

struct Compared {
  double gain = 0;
  bool beyond_noise = false;
};

Compared compare_rounds(const std::vector<double>& usual, const std::vector<double>& other) {
  std::vector<double> ratios;
  ratios.reserve(usual.size());
  for (std::size_t round = 0; round < usual.size(); ++round) ratios.push_back(other[round] / usual[round]);
  const double middle = median(ratios);
  const bool agree = std::ranges::count_if(ratios, [](double ratio) { return ratio >= 1; }) <= std::ssize(ratios) / 5;
  for (double& ratio : ratios) ratio = std::abs(ratio - middle);
  return {.gain = 1 - middle, .beyond_noise = agree && 1 - middle > std::max(kLeastGain, 2 * median(ratios))};
}

std::string text_of(OpenExchange open, const ExchangeSetting& setting) {
  const std::string size = open.fusion_mb ? fmt::format("{} MB", setting.fusion_mb) : "";
  const std::string overlap = !open.overlap ? "" : setting.overlap == Overlap::thread ? "thread" : "inline";
  return size + (open.fusion_mb && open.overlap ? " " : "") + overlap;
}

std::string flag_names(OpenExchange open) {
  return open.fusion_mb && open.overlap ? "fusion_mb and overlap" : open.fusion_mb ? "fusion_mb" : "overlap";
}

}  // namespace

bool thread_may_pay(int ranks, int hosts, int cores) { return ranks > 1 && (hosts > 1 || cores > ranks); }

std::vector<ExchangeSetting> exchange_candidates(OpenExchange open, const ExchangeSetting& usual,
                                                 std::int64_t elements) {
  std::vector<double> sizes{usual.fusion_mb};
  bool whole = is_whole(usual.fusion_mb, elements);
  for (const double size : kBucketMegabytes) {
    if (!open.fusion_mb || size == usual.fusion_mb || (whole && is_whole(size, elements))) continue;
    sizes.push_back(size);
    whole = whole || is_whole(size, elements);
  }
  const Overlap other = usual.overlap == Overlap::thread ? Overlap::inline_calls : Overlap::thread;
  std::vector<ExchangeSetting> candidates;
  candidates.reserve(2 * sizes.size());
  for (const double size : sizes) {
    candidates.push_back({size, usual.overlap});
    if (open.overlap && !is_whole(size, elements)) candidates.push_back({size, other});
  }
  return candidates;
}

TurnPlan plan_turns(int candidates, double step_seconds, double most_seconds) {
  const double least = std::max(step_seconds, 1e-9);
  const int steps = static_cast<int>(std::clamp(std::ceil(kTurnSeconds / least), 1.0, kMostTurnSteps));
  TurnPlan plan{.steps = steps};
  const double turns = std::floor(most_seconds / (least * (plan.unmeasured() + steps)));
  if (turns < kLeastRounds * kLeastCandidates) return {};
  plan.candidates = std::max(kLeastCandidates, static_cast<int>(std::min<double>(candidates, turns / kGoodRounds)));
  plan.rounds = static_cast<int>(std::min<double>(kMostRounds, turns / plan.candidates));
  return plan;
}

double measuring_seconds(OpenExchange open, double step_seconds, std::int64_t steps_left) {
  if (open.fusion_mb) return kMostMeasuringSeconds;
  return std::min(kMostMeasuringSeconds, kShareOfRun * step_seconds * static_cast<double>(steps_left));
}

bool worth_measuring(OpenExchange open, std::int64_t steps_left) {
  return open.fusion_mb || kProbeSteps <= kShareOfRun * static_cast<double>(steps_left);
}

ExchangeDecision decide_exchange(std::span<const std::vector<double>> seconds) {
  LS_CHECK(seconds.size() > 1 && !seconds[0].empty(), "nothing was measured to decide by");
  ExchangeDecision decision;
  Compared best;
  for (std::size_t candidate = 1; candidate < seconds.size(); ++candidate) {
    LS_CHECK(seconds[candidate].size() == seconds[0].size(), "candidates of different numbers of rounds");
    const Compared one = compare_rounds(seconds[0], seconds[candidate]);
    // A candidate beyond noise comes before one that may be faster by chance.
    const bool better = one.beyond_noise == best.beyond_noise ? one.gain > best.gain : one.beyond_noise;
    if (decision.rival != 0 && !better) continue;
    best = one;
    decision.rival = candidate;
  }
  decision.gain = best.gain;
  if (best.beyond_noise) decision.chosen = decision.rival;
  return decision;
}

std::string describe_choice(OpenExchange open, std::span<const ExchangeSetting> candidates,
                            const ExchangeDecision& decision, std::int64_t steps, double seconds) {
  const std::string usual = text_of(open, candidates[0]);
  const std::string rival = text_of(open, candidates[decision.rival]);
  const std::string measured = fmt::format("({} steps measured in {:.1f} s)", steps, seconds);
  const double percent = 100 * std::abs(decision.gain);
  if (decision.chosen != 0) {
    return fmt::format("{}: {}, {:.1f} % faster than {} {}", flag_names(open), rival, percent, usual, measured);
  }
  return fmt::format("{}: {} kept: {} was {:.1f} % {} {}", flag_names(open), usual, rival, percent,
                     decision.gain > 0 ? "faster, within noise" : "slower", measured);
}

std::string describe_kept(OpenExchange open, const ExchangeSetting& kept, const std::string& why) {
  return fmt::format("{}: {} kept: {}", flag_names(open), text_of(open, kept), why);
}

}  // namespace lockstep

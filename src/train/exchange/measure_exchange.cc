#include "train/exchange/measure_exchange.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "base/clock.h"
#include "base/counted.h"
#include "base/cpu_affinity.h"
#include "base/median.h"
#include "collective/host_layout.h"
#include "collective/mpi/mpi_session.h"
#include "model/initializer.h"
#include "train/registry/setting_rules.h"
#include "train/step/training_steps.h"
#include "train/strategy/replica.h"

namespace lockstep {
namespace {

constexpr std::string_view kFusion = "fusion_mb";
constexpr std::string_view kOverlap = "overlap";
constexpr std::int64_t kMostSteps = 1 << 20;  // far beyond any plan's
constexpr double kLongStepSeconds = 0.2;      // a first step this long says enough of the others

void set_overlap(TrainSettings& settings, Overlap overlap) {
  settings.overlap = overlap == Overlap::thread ? "thread" : "inline";
}

ExchangeSetting exchange_of(const TrainSettings& settings) {
  return {.fusion_mb = settings.fusion_mb.value_or(0.0).value, .overlap = overlap_of(settings)};
}

TrainSettings with(TrainSettings settings, const ExchangeSetting& exchange) {
  settings.fusion_mb = exchange.fusion_mb;
  set_overlap(settings, exchange.overlap);
  return settings;
}

// COLLECTIVE over the world.
bool thread_pays_here(const TrainingRank& rank) {
  if (rank.compute.size() == 1) return false;
  const int hosts = find_hosts(rank.world, rank.session == nullptr ? "" : rank.session->host()).hosts();
  int cores = host_cores();
  broadcast_value(rank.world, cores, 0);
  return thread_may_pay(rank.world.size(), hosts, cores);
}

// True if an error reports a value that is not finite: it comes from initial values, which are not the run's, or from
// data that the run does not reach. The sums are those of all ranks, so all ranks get this error.
bool is_not_finite(const Error& error) {
  return error.code() == ExitCode::internal && error.scope() == Scope::every_rank;
}

// Makes steps of one candidate after the other.
class Turns {
 public:
  Turns(const MeasuredRun& run, const TrainingRank& rank, const Optimizer& optimizer, double clip_norm,
        const ParameterStore& parameters)
      : run_(run),
        rank_(rank),
        optimizer_(optimizer),
        clip_norm_(clip_norm),
        parameters_(parameters),
        next_step_(run.steps_made() + 1),
        steps_({.backend = rank.backend,
                .trace = rank.trace,
                .problem = *run.workload.problem,
                .model = *run.workload.model,
                .parameters = parameters,
                .plan = *run.workload.plan.gradients,
                .augmentation = run.workload.augmentation.get()},
               {.last = run.steps_made() + kMostSteps,
                .first_share = run.workload.plan.first_share,
                .shares = run.workload.plan.own_shares,
                .seed = run.settings.seed}) {
    if (writes_values()) {
      initialize(rank.backend, parameters, run.workload.model->initializers(), run.settings.seed);
    }
    rank.compute.barrier();
  }

  struct Taken {
    double least = 0;  // seconds of a measured step
    double median = 0;
    double whole = 0;  // seconds of all steps, making the replica included
  };
  // Returns rank 0's times on all ranks. COLLECTIVE.
  Taken turn(const ExchangeSetting& exchange, int unmeasured, int measured) {
    const Stopwatch whole;
    const TrainSettings settings = with(run_.settings, exchange);
    run_.gradients.set_overlap(exchange.overlap);
    Replica replica(rank_.backend, parameters_, optimizer_, clip_norm_);
    const auto strategy = run_.strategy.make({.settings = settings,
                                              .hparams = run_.hparams,
                                              .plan = run_.workload.plan,
                                              .communicator = run_.gradients,
                                              .trace = rank_.trace,
                                              .replica = replica});
    std::vector<double> seconds;
    try {
      for (int step = 0; step < unmeasured + measured; ++step) {
        const Stopwatch watch;
        steps_.make(*strategy, next_step_++, 0);
        rank_.backend.synchronize();
        if (step >= unmeasured) seconds.push_back(watch.seconds());
      }
      steps_.finish(*strategy);
    } catch (const Error& error) {  // before the replica's memory is freed, as AbandonGuard does
      if (!is_not_finite(error)) run_.gradients.abandon();
      throw;
    }
    Taken taken{.least = std::ranges::min(seconds), .median = median(seconds), .whole = whole.seconds()};
    broadcast_value(rank_.compute, taken, 0);
    return taken;
  }

  // COLLECTIVE.
  void leave_no_trace() {
    rank_.trace.step(0);
    if (writes_values()) rank_.backend.fill(parameters_.values(), 0);
    rank_.backend.fill(parameters_.gradients(), 0);
    rank_.compute.barrier();
  }

  std::int64_t made() const { return next_step_ - run_.steps_made() - 1; }

 private:
  // True if this rank writes the values: if all ranks share one copy, one rank does.
  bool writes_values() const { return !parameters_.common_values() || rank_.compute.rank() == 0; }

  const MeasuredRun& run_;
  const TrainingRank& rank_;
  const Optimizer& optimizer_;
  double clip_norm_;
  const ParameterStore& parameters_;
  std::int64_t next_step_;
  TrainingSteps steps_;
};

struct Choice {
  ExchangeSetting exchange;
  bool measured = false;
  std::string line{};
};

// COLLECTIVE over the compute group.
Choice measure(Turns& turns, OpenExchange open, std::vector<ExchangeSetting> candidates, std::int64_t steps_left) {
  const ExchangeSetting usual = candidates[0];
  double step_seconds = turns.turn(usual, 0, 2).least;  // the first one touches new memory and waits for data
  if (step_seconds < kLongStepSeconds) step_seconds = turns.turn(usual, 0, kProbeSteps - 2).least;
  const auto count = static_cast<int>(candidates.size());
  const TurnPlan longest = plan_turns(count, step_seconds, kMostMeasuringSeconds);
  if (longest.candidates == 0) {
    ExchangeSetting kept = usual;
    if (open.overlap) kept.overlap = Overlap::thread;  // there is much to hide, too
    return {.exchange = kept,
            .measured = true,
            .line = describe_kept(open, kept,
                                  fmt::format("a step takes {:.1f} s, too long to measure in {} s", step_seconds,
                                              kMostMeasuringSeconds))};
  }
  const double most = measuring_seconds(open, step_seconds, steps_left);
  const TurnPlan plan = plan_turns(count, step_seconds, most);
  if (plan.candidates == 0) return {.exchange = usual};  // the run is over before that pays
  candidates.resize(static_cast<std::size_t>(plan.candidates));
  std::vector<std::vector<double>> seconds(candidates.size());
  double spent = 0;
  for (int round = 0; round < plan.rounds && (round < kLeastRounds || spent < most); ++round) {
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      const Turns::Taken taken = turns.turn(candidates[i], plan.unmeasured(), plan.steps);
      seconds[i].push_back(taken.median);
      spent += taken.whole;
    }
  }
  const ExchangeDecision decision = decide_exchange(seconds);
  return {.exchange = candidates[decision.chosen],
          .measured = true,
          .line = describe_choice(open, candidates, decision, turns.made(), spent)};
}

// Records the choice in what checkpoints keep.
void note(const MeasuredRun& run, OpenExchange open, bool measured) {
  for (const std::string_view name : {kFusion, kOverlap}) {
    if (name == kFusion ? !open.fusion_mb : !open.overlap) continue;
    const std::string value = value_text(train_setting(name), run.settings).value_or("");
    const auto item = std::ranges::find(run.config, name, &ConfigItem::name);
    if (item != run.config.end()) item->value = value;
    if (measured) run.measured.push_back({std::string(name), value});
  }
}

}  // namespace

OpenExchange open_exchange(TrainSettings& settings, const Registry& registry, const TrainingRank& rank,
                           const SavedConfig* saved, std::vector<MeasuredSetting>& used) {
  const auto in_use = settings_in_use(settings, registry);
  const auto in_use_is = [&](std::string_view name) {
    return std::ranges::any_of(in_use, [&](const TrainSetting* row) { return row->name == name; });
  };
  if (settings.overlap == "auto" && !(in_use_is(kOverlap) && thread_pays_here(rank))) {
    set_overlap(settings, Overlap::inline_calls);
  }
  used = use_measured(settings, saved, rank.compute.size());
  fill_in_bits(settings, saved, rank.compute.size());
  const bool tune = settings.fusion_mb && settings.fusion_mb->tune;
  const OpenExchange open{.fusion_mb = tune && in_use_is(kFusion), .overlap = settings.overlap == "auto"};
  if (tune) assign(train_setting(kFusion), std::string(train_setting(kFusion).if_unset), settings);
  if (open.overlap) set_overlap(settings, Overlap::thread);
  return open;
}

std::string choose_exchange(const MeasuredRun& run, const TrainingRank& rank, const Optimizer& optimizer,
                            double clip_norm, const ParameterStore& parameters) {
  OpenExchange open = run.open;
  // A user's communicator that cannot do both has its own way: presumably the caller's thread.
  if (open.overlap) set_overlap(run.settings, Overlap::inline_calls);
  open.overlap = open.overlap && run.gradients.set_overlap(Overlap::inline_calls);
  const std::int64_t steps_left = run.workload.plan.train_steps - run.steps_made();
  if (!open.any() || run.nothing_left || !worth_measuring(open, steps_left)) return "";
  const ExchangeSetting usual = exchange_of(run.settings);
  if (rank.compute.size() == 1) return describe_kept(open, usual, "one rank exchanges no gradients");
  const auto candidates = exchange_candidates(open, usual, parameters.gradients().count());
  if (candidates.size() == 1) {
    return open.fusion_mb ? describe_kept(open, usual, "all gradients fit into the smallest bucket") : "";
  }
  Choice choice{.exchange = usual};
  {
    Turns turns(run, rank, optimizer, clip_norm, parameters);
    try {
      choice = measure(turns, open, candidates, steps_left);
    } catch (const Error& error) {
      if (!is_not_finite(error)) throw;
      choice.line = describe_kept(open, usual, "the steps from initial values that would be measured are not finite");
    }
    turns.leave_no_trace();
  }
  run.settings = with(run.settings, choice.exchange);
  run.gradients.set_overlap(choice.exchange.overlap);
  note(run, open, choice.measured);
  return choice.line;
}

}  // namespace lockstep

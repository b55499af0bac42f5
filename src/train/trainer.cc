#include "train/trainer.h"

#include <algorithm>
#include <utility>

#include "train/evaluation.h"
#include "train/parameter_digest.h"

namespace lockstep {
namespace {

// The most samples a share can have.
std::int64_t largest_share(const ShardPlan& plan) {
  const ShardPlan::Options& options = plan.options();
  return (std::min(options.global_batch, options.samples) + options.shares - 1) / options.shares;
}

}  // namespace

Trainer::Trainer(const Parts& parts, const Options& options)
    : parts_(parts), options_(options), made_(parts.plan.options().from.step) {
  if (parts.strategy.shares() == 0) return;
  prefetcher_.emplace(
      parts.problem, [this](std::int64_t n, PlannedBatch& batch) { return plan_batch(n, batch); }, host_,
      Prefetcher::Options{.capacity = largest_share(parts.plan), .augmentation = parts.augmentation});
}

// Batches come in the order in which they are used: all shares of this rank of step 1, then of step 2.
bool Trainer::plan_batch(std::int64_t n, PlannedBatch& batch) const {
  const int shares = parts_.strategy.shares();
  batch.step = made_ + 1 + n / shares;
  if (batch.step > options_.train_steps) return false;
  parts_.plan.share(batch.step, options_.first_share + static_cast<int>(n % shares), batch.sample_ids);
  batch.blocks_ahead.clear();
  if (n % shares == 0) parts_.plan.ahead(batch.step, batch.blocks_ahead);
  return true;
}

TrainOutcome Trainer::run() {
  TrainOutcome outcome{.step = made_, .evaluated = options_.evaluated};
  bool evaluation_due = options_.evaluate_first;
  bool save_due = false;
  const auto is_left = [&](std::int64_t step) {
    return step <= options_.train_steps && !outcome.stopped && !parts_.choosing.ends_run();
  };
  if (evaluation_due && is_left(made_ + 1)) {
    evaluate(made_);
    evaluation_due = false;
  }
  for (std::int64_t step = made_ + 1; is_left(step); ++step) {
    const StepResult result = train_step(step);
    outcome.step = step;
    if (parts_.averaged != nullptr && parts_.strategy.agreed()) parts_.averaged->update();
    report_step(step, result);

    // Replicas that differ are not one model: whatever falls due waits for their next meeting.
    evaluation_due |= options_.eval_frequency > 0 && step % options_.eval_frequency == 0;
    save_due |= options_.save_frequency > 0 && step % options_.save_frequency == 0;
    if (!parts_.strategy.agreed() || step == options_.train_steps) continue;
    const Requests::Agreed asked = meet_requests(result);
    if (asked.stop) {
      parts_.report.stopping(step, *asked.stop);
      outcome.signal = asked.signal;
      outcome.stopped = true;  // at once: whoever asks may not wait for an evaluation
      continue;
    }
    // First what a kill during a long evaluation would lose; it is written during the evaluation.
    if (std::exchange(save_due, false) || asked.save) save(step);
    if (std::exchange(evaluation_due, false)) evaluate(step);
  }
  finish(outcome);
  return outcome;
}

Requests::Agreed Trainer::meet_requests(const StepResult& result) {
  const auto phase = parts_.trace.enter(Phase::communicate);
  parts_.requests.at_meeting(parts_.saver != nullptr ? parts_.saver->expected_seconds() : 0);
  if (!parts_.requests.wanted(result.sums.requests)) return {};
  return parts_.requests.agree();
}

void Trainer::save(std::int64_t step) {
  if (parts_.saver == nullptr || parts_.saver->last_step() == step) return;
  parts_.saver->save(parts_.plan.cursor(step));
  parts_.requests.saved();
}

// Metrics and log lie on a disk that may be slow.
void Trainer::report_step(std::int64_t step, const StepResult& result) {
  const auto phase = parts_.trace.enter(Phase::write);
  parts_.report.step({.number = step,
                      .epochs = parts_.plan.epochs(step),
                      .learning_rate = parts_.schedule.at(step),
                      .examples = parts_.plan.global_count(step)},
                     result);
  if (parts_.histograms != nullptr) parts_.histograms->after_step(step, result.gradient_factor);
  report_saves();
}

void Trainer::report_saves() {
  if (parts_.saver == nullptr) return;
  for (const Saver::Saved& saved : parts_.saver->check()) parts_.report.saved(saved);
}

void Trainer::finish(TrainOutcome& outcome) {
  if (!parts_.strategy.agreed()) {
    parts_.strategy.meet();
    if (parts_.averaged != nullptr) parts_.averaged->update();
  }
  save(outcome.step);
  if (!outcome.stopped) {
    if (evaluated_step_ != outcome.step) evaluate(outcome.step);
    outcome.evaluation = evaluation_;
    if (outcome.step < options_.train_steps) parts_.report.ended_early(outcome.step, parts_.choosing.why());
  }
  const auto phase = parts_.trace.enter(Phase::finish);
  outcome.costs = parts_.report.gather_costs(parts_.compute);
  outcome.parameters_sha256 = agreed_parameter_digest(parts_.compute, parts_.backend, parts_.parameters);
  if (parts_.saver != nullptr) {
    parts_.saver->finish(!outcome.stopped);
    report_saves();
    outcome.saved = true;
  }
  outcome.best_step = parts_.choosing.kept_step();
  outcome.epochs = parts_.plan.epochs(outcome.step);
  outcome.seconds = parts_.report.seconds();
  parts_.report.end(outcome);
}

StepResult Trainer::train_step(std::int64_t step) {
  const auto phase = parts_.trace.enter(Phase::compute);
  parts_.trace.step(step);
  parts_.strategy.begin_step(step);
  if (prefetcher_) {
    Prefetcher& prefetcher = *prefetcher_;
    for (int share = 0; share < parts_.strategy.shares(); ++share) train_share(step, prefetcher);
  }
  return parts_.strategy.finish_step(parts_.schedule.at(step));
}

void Trainer::train_share(std::int64_t step, Prefetcher& prefetcher) {
  const Batch& batch = [&]() -> const Batch& {
    const auto phase = parts_.trace.enter(Phase::data);
    return prefetcher.next();
  }();
  Pass pass{.backend = parts_.backend,
            .parameters = parts_.parameters,
            .mode = Pass::Mode::train,
            .seed = options_.seed,
            .step = step,
            .sample_ids = batch.sample_ids,
            .on_gradient_ready = [this](FlatRange range) { parts_.strategy.on_gradient_ready(range); }};
  const MetricSums sums = parts_.model.forward(batch, pass);
  parts_.strategy.add_share({.loss = sums["loss"], .weight = sums.weight, .requests = parts_.requests.any() ? 1 : 0});
  parts_.model.backward(pass);
  prefetcher.release();
}

void Trainer::evaluate(std::int64_t step) {
  const Split split = options_.evaluated;
  if (parts_.problem.count(split) == 0 || options_.eval_samples == 0) return;
  {
    const auto phase = parts_.trace.enter(Phase::evaluate);
    const ParameterStore& parameters = parts_.averaged != nullptr ? parts_.averaged->parameters() : parts_.parameters;
    parts_.report.evaluating(0);
    Evaluation evaluation(parts_.compute, parts_.backend, parts_.problem, parts_.model, parameters);
    evaluation_ =
        evaluation.run(split, options_.eval_samples, [this](double share) { parts_.report.evaluating(share); });
    evaluated_step_ = step;
    parts_.report.evaluation(step, split, evaluation_);
  }
  if (parts_.choosing.add(step, evaluation_)) keep_best(step);
}

void Trainer::keep_best(std::int64_t step) {
  const BestNote note = parts_.choosing.note();
  save(step);
  parts_.saver->keep_best(note);
  parts_.report.best(note);
}

}  // namespace lockstep

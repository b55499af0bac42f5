#include "train/trainer.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/signal_name.h"
#include "train/evaluation/evaluation.h"
#include "train/state/parameter_digest.h"

namespace lockstep {
namespace {

// Returns whether a multiple of `every` lies among the steps before + 1 to `step`; `every` is 0 for something that is
// never due.
bool falls_due(std::int64_t every, std::int64_t before, std::int64_t step) {
  return every > 0 && step / every > before / every;
}

// Samples of the steps up to `last`.
std::int64_t examples_of(const BatchPlan& plan, std::int64_t last, std::int64_t steps) {
  std::int64_t examples = 0;
  for (std::int64_t step = last - steps + 1; step <= last; ++step) examples += plan.global_count(step);
  return examples;
}

}  // namespace

Trainer::Trainer(const Parts& parts, const Options& options)
    : parts_(parts),
      options_(options),
      made_(parts.plan.from().step),
      steps_({.backend = parts.backend,
              .trace = parts.trace,
              .problem = parts.problem,
              .model = parts.model,
              .parameters = parts.parameters,
              .plan = parts.gradients,
              .augmentation = parts.augmentation,
              .requests = &parts.requests},
             {.last = options.train_steps,
              .first_share = options.first_share,
              .shares = parts.strategy.shares(),
              .seed = options.seed,
              .graphs = options.graphs,
              .in_order = parts.strategy.steps_in_order()}) {}

TrainOutcome Trainer::run() {
  TrainOutcome outcome{.step = made_, .evaluated = options_.evaluated};
  bool evaluation_due = options_.evaluate_first;
  bool save_due = false;
  const auto is_left = [&](std::int64_t step) {
    return step <= options_.train_steps && !outcome.stopped && !parts_.chooser.ends_run();
  };
  if (evaluation_due && is_left(made_ + 1)) {
    evaluate(made_);
    evaluation_due = false;
  }
  std::int64_t step = made_;
  while (is_left(step + 1)) {
    const std::optional<std::int64_t> next = parts_.strategy.next_step(step);
    if (!next) break;
    const std::int64_t before = step;
    const bool evaluation_follows = evaluation_due || falls_due(options_.eval_frequency, before, before + 1);
    parts_.requests.evaluation_follows(evaluation_follows && can_evaluate());
    const StepResult result = steps_.make(parts_.strategy, *next, parts_.schedule.at(*next));
    step = parts_.strategy.steps_made(*next);
    outcome.step = step;
    if (parts_.averaged != nullptr && parts_.strategy.replicas_equal()) parts_.averaged->update();
    report_step(result, step);
    if (falls_due(options_.histogram_every, before, step)) settle(step);

    // Anything that falls due waits for a step after which there is one model.
    evaluation_due |= falls_due(options_.eval_frequency, before, step);
    save_due |= falls_due(options_.save_frequency, before, step);
    if (!parts_.strategy.can_pause() || step == options_.train_steps) continue;
    const Requests::Agreed asked = meet_requests(result);
    if (asked.stop) parts_.strategy.end_steps();
    if (asked.stop || asked.save || save_due || evaluation_due) {
      step = outcome.step = pause(step);
      // Other ranks may have made steps meanwhile, if steps are handed out.
      evaluation_due |= falls_due(options_.eval_frequency, before, step);
      save_due |= falls_due(options_.save_frequency, before, step);
    }
    if (asked.stop) {
      parts_.report.stopping(step, *asked.stop);
      outcome.signal = asked.signal;
      outcome.stopped = true;  // at once: the requester may not wait for an evaluation
      continue;
    }
    // Save first what a kill during a long evaluation would lose; it is written during the evaluation.
    if (std::exchange(save_due, false) || asked.save) save(step);
    if (std::exchange(evaluation_due, false)) evaluate(step);
  }
  finish(outcome);
  return outcome;
}

std::int64_t Trainer::pause(std::int64_t step) {
  settle(step);
  if (parts_.strategy.replicas_equal()) return step;
  parts_.strategy.meet();
  if (parts_.averaged != nullptr && !parts_.strategy.brings_average()) parts_.averaged->update();
  return parts_.strategy.steps_made(step);
}

Requests::Agreed Trainer::meet_requests(const StepResult& result) {
  const auto phase = parts_.trace.enter(Phase::communicate);
  parts_.requests.at_meeting(parts_.saver != nullptr ? parts_.saver->expected_seconds() : 0);
  Requests::Agreed agreed = result.requests > 0 ? parts_.requests.agree() : Requests::Agreed{};
  if (const auto& other = result.stop_elsewhere; other && !agreed.stop) {
    agreed.stop =
        fmt::format("{}, seen by rank {}", other->signal == 0 ? "a request" : signal_name(other->signal), other->rank);
    agreed.signal = other->signal;
  }
  return agreed;
}

void Trainer::save(std::int64_t step) {
  if (parts_.saver == nullptr || parts_.saver->last_step() == step) return;
  parts_.saver->save(parts_.strategy.cursor(parts_.gradients, step));
  parts_.requests.saved();
}

// Traced as writing: metrics and log are on a disk that may be slow.
void Trainer::report_step(const StepResult& result, std::int64_t made) {
  const std::int64_t step = result.step;
  if (step == 0) return;
  const auto phase = parts_.trace.enter(Phase::write);
  parts_.report.step({.number = step,
                      .epochs = parts_.plan.epochs(step),
                      .learning_rate = parts_.schedule.at(step),
                      .examples = examples_of(parts_.plan, step, result.steps)},
                     result);
  if (parts_.histograms != nullptr && step == made) parts_.histograms->after_step(step, result.gradient_factor);
  report_saves();
}

void Trainer::report_saves() {
  if (parts_.saver == nullptr) return;
  for (const Saver::Saved& saved : parts_.saver->check()) parts_.report.saved(saved);
}

void Trainer::finish(TrainOutcome& outcome) {
  parts_.strategy.end_steps();
  outcome.step = pause(outcome.step);
  save(outcome.step);
  if (!outcome.stopped) {
    if (evaluated_step_ != outcome.step) evaluate(outcome.step);
    outcome.evaluation = evaluation_;
    if (outcome.step < options_.train_steps) parts_.report.ended_early(outcome.step, parts_.chooser.why());
  }
  const auto phase = parts_.trace.enter(Phase::finish);
  outcome.costs = parts_.report.gather_costs(parts_.compute);
  outcome.parameters_sha256 = agreed_parameter_digest(parts_.compute, parts_.backend, parts_.parameters);
  if (parts_.saver != nullptr) {
    parts_.saver->finish(!outcome.stopped);
    report_saves();
    outcome.saved = true;
  }
  outcome.best_step = parts_.chooser.kept_step();
  outcome.epochs = parts_.plan.epochs(outcome.step);
  outcome.seconds = parts_.report.seconds();
  outcome.graphs_remark = steps_.graphs_remark();
  outcome.account = parts_.strategy.account();
  parts_.report.end(outcome);
}

void Trainer::evaluate(std::int64_t step) {
  if (!can_evaluate()) return;
  const Split split = options_.evaluated;
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
  if (parts_.chooser.add(step, evaluation_)) keep_best(step);
}

void Trainer::keep_best(std::int64_t step) {
  const BestNote note = parts_.chooser.note();
  save(step);
  parts_.saver->keep_best(note);
  parts_.report.best(note);
}

}  // namespace lockstep

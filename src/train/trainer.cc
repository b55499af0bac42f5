#include "train/trainer.h"

#include "train/evaluation.h"
#include "train/parameter_digest.h"

namespace lockstep {
namespace {

// The test split if there is one, else the dev split.
Split evaluated_split(const Problem& problem) { return problem.count(Split::test) > 0 ? Split::test : Split::dev; }

// The most samples a share can have.
std::int64_t largest_share(const ShardPlan& plan) {
  const ShardPlan::Options& options = plan.options();
  return (plan.global_count(1) + options.shares - 1) / options.shares;
}

}  // namespace

Trainer::Trainer(const Parts& parts, const Options& options)
    : parts_(parts),
      options_(options),
      evaluated_(evaluated_split(parts.problem)),
      prefetcher_(parts.problem, [this](std::int64_t n, PlannedBatch& batch) { return plan_batch(n, batch); }, host_,
                  {.capacity = largest_share(parts.plan), .augmentation = parts.augmentation}) {}

// Batches come in the order in which they are used: all shares of this rank of step 1, then of step 2.
bool Trainer::plan_batch(std::int64_t n, PlannedBatch& batch) const {
  const int shares = parts_.strategy.shares();
  batch.step = 1 + n / shares;
  if (batch.step > options_.train_steps) return false;
  parts_.plan.share(batch.step, options_.first_share + static_cast<int>(n % shares), batch.sample_ids);
  batch.blocks_ahead.clear();
  if (n % shares == 0) parts_.plan.ahead(batch.step, batch.blocks_ahead);
  return true;
}

TrainOutcome Trainer::run() {
  TrainOutcome outcome;
  outcome.evaluated = evaluated_;
  bool evaluation_due = false;
  parts_.strategy.start();
  if (parts_.averaged != nullptr) parts_.averaged->start();
  for (std::int64_t step = 1; step <= options_.train_steps && !outcome.stopped; ++step) {
    const StepResult result = train_step(step);
    outcome.step = step;
    if (parts_.averaged != nullptr && parts_.strategy.agreed()) parts_.averaged->update();
    outcome.stopped = !result.local && result.sums.stop_votes > 0 && step < options_.train_steps;
    parts_.report.step(step, result, parts_.schedule.at(step), parts_.plan.global_count(step));

    // Replicas that differ cannot be evaluated as one model: an evaluation that falls due waits for their next meeting.
    evaluation_due |= options_.eval_frequency > 0 && step % options_.eval_frequency == 0;
    if (evaluation_due && parts_.strategy.agreed() && step < options_.train_steps && !outcome.stopped) {
      evaluate(step);
      evaluation_due = false;
    }
  }
  if (!parts_.strategy.agreed()) {
    parts_.strategy.meet();
    if (parts_.averaged != nullptr) parts_.averaged->update();
  }
  outcome.evaluation = evaluate(outcome.step);
  const auto phase = parts_.trace.enter(Phase::finish);
  outcome.parameters_sha256 = agreed_parameter_digest(parts_.communicator, parts_.backend, parts_.parameters);
  outcome.seconds = parts_.report.seconds();
  parts_.report.end(outcome);
  return outcome;
}

StepResult Trainer::train_step(std::int64_t step) {
  const auto phase = parts_.trace.enter(Phase::compute);
  parts_.trace.step(step);
  parts_.strategy.begin_step(step);
  for (int share = 0; share < parts_.strategy.shares(); ++share) train_share(step);
  return parts_.strategy.finish_step(parts_.schedule.at(step));
}

void Trainer::train_share(std::int64_t step) {
  const Batch& batch = [&]() -> const Batch& {
    const auto phase = parts_.trace.enter(Phase::data);
    return prefetcher_.next();
  }();
  Pass pass{.backend = parts_.backend,
            .parameters = parts_.parameters,
            .mode = Pass::Mode::train,
            .seed = options_.seed,
            .step = step,
            .sample_ids = batch.sample_ids,
            .on_gradient_ready = [this](FlatRange range) { parts_.strategy.on_gradient_ready(range); }};
  const LossSums sums = parts_.model.forward(batch, pass);
  const bool stop = options_.stop_requested != nullptr && options_.stop_requested->load();
  parts_.strategy.add_share({.loss = sums.loss, .weight = sums.weight, .stop_votes = stop ? 1 : 0});
  parts_.model.backward(pass);
  prefetcher_.release();
}

EvaluationResult Trainer::evaluate(std::int64_t step) {
  if (parts_.problem.count(evaluated_) == 0) return {};
  const auto phase = parts_.trace.enter(Phase::evaluate);
  const ParameterStore& parameters = parts_.averaged != nullptr ? parts_.averaged->parameters() : parts_.parameters;
  Evaluation evaluation(parts_.communicator, parts_.backend, parts_.problem, parts_.model, parameters);
  const EvaluationResult result = evaluation.run(evaluated_, options_.eval_samples);
  parts_.report.evaluation(step, evaluated_, result);
  return result;
}

}  // namespace lockstep

#include "train/step/training_steps.h"

namespace lockstep {
namespace {

bool is_on_host(const Backend& backend) { return backend.device().kind == Device::Kind::cpu; }

// Number of batches held: those read ahead, and on a device those being copied.
int depth(const Backend& backend) {
  constexpr int kRead = Prefetcher::Options{}.depth;
  return is_on_host(backend) ? kRead : kRead + DeviceBatches::kHeld - 1;
}

}  // namespace

TrainingSteps::TrainingSteps(const Parts& parts, const Options& options) : parts_(parts), options_(options) {
  if (options.graphs) graphs_.emplace(parts.backend);
  if (options.shares == 0) return;
  prefetcher_.emplace(
      parts.problem, [this](std::int64_t n, PlannedBatch& batch) { return plan_batch(n, batch); },
      parts.backend.host_allocator(),
      Prefetcher::Options{
          .capacity = parts.plan.largest_share(), .depth = depth(parts.backend), .augmentation = parts.augmentation});
  if (is_on_host(parts.backend)) return;
  copies_.emplace(*prefetcher_, parts.backend);
  losses_.emplace(parts.backend, parts.model, options.shares);
}

// The step that the n-th batch belongs to; nothing if there is none.
std::optional<std::int64_t> TrainingSteps::step_of_batch(std::int64_t n) {
  if (n % options_.shares > 0) return reading_;
  if (!options_.in_order) return numbers_.take();
  const std::int64_t step = parts_.plan.from().step + 1 + n / options_.shares;
  return step <= options_.last ? std::optional(step) : std::nullopt;
}

// Batches come in the order in which they are used: all shares of this rank of one step, then of the next.
bool TrainingSteps::plan_batch(std::int64_t n, PlannedBatch& batch) {
  const int shares = options_.shares;
  const std::optional<std::int64_t> step = step_of_batch(n);
  if (!step) return false;
  batch.step = reading_ = *step;
  parts_.plan.share(batch.step, options_.first_share + static_cast<int>(n % shares), batch.sample_ids);
  batch.blocks_ahead.clear();
  if (n % shares == 0) parts_.plan.ahead(batch.step, batch.blocks_ahead);
  return true;
}

StepResult TrainingSteps::make(Strategy& strategy, std::int64_t step, double learning_rate) {
  const auto phase = parts_.trace.enter(Phase::compute);
  parts_.trace.step(step);
  if (!options_.in_order) numbers_.add(step);
  strategy.begin_step(step, options_.shares == 0 ? own_requests() : 0);
  if (graphs_) graphs_->begin_step();
  InGraph update(parts_.backend, graphs_ ? graphs_->update() : nullptr);
  if (prefetcher_) {
    BatchSource& batches = copies_ ? static_cast<BatchSource&>(*copies_) : *prefetcher_;
    parts_.parameters.update_copy(parts_.backend);
    for (int share = 0; share < options_.shares; ++share) compute_share(strategy, step, batches, update);
  }
  update.begin();
  const StepResult result = strategy.finish_step(learning_rate);
  update.launch();
  return result;
}

StepResult TrainingSteps::finish(Strategy& strategy) {
  if (!strategy.results_are_late() && options_.in_order) return {};
  const auto phase = parts_.trace.enter(Phase::compute);
  return strategy.finish_last(losses_ ? losses_->take_all() : 0);
}

// Runs the forward pass of a share, and returns its loss and weight for add_share(), without the requests.
ControlValues TrainingSteps::forward(Strategy& strategy, const Batch& batch, Pass& pass) {
  if (!losses_ || !strategy.results_are_late()) {
    const MetricSums sums = parts_.model.forward(batch, pass);
    return {.loss = sums["loss"], .weight = sums.weight};
  }
  InGraph graph(parts_.backend, graphs_ ? graphs_->forward() : nullptr);
  graph.begin();
  const Tensor sums = parts_.model.start_forward(batch, pass);
  graph.launch();
  losses_->add(pass.step, sums);
  return {.loss = losses_->take_before(pass.step), .weight = batch.weight};
}

void TrainingSteps::compute_share(Strategy& strategy, std::int64_t step, BatchSource& batches, InGraph& update) {
  const Batch& batch = [&]() -> const Batch& {
    const auto phase = parts_.trace.enter(Phase::data);
    return batches.next();
  }();
  Pass pass{.backend = parts_.backend,
            .parameters = parts_.parameters,
            .mode = Pass::Mode::train,
            .seed = options_.seed,
            .step = step,
            .row_ids = batch.row_ids,
            .on_gradient_ready = [&strategy](FlatRange range) { strategy.on_gradient_ready(range); }};
  ControlValues share = forward(strategy, batch, pass);
  share.requests = own_requests();  // as late as they can still go with this step: mpirun gives a rank two seconds
  strategy.add_share(share);
  update.begin();
  parts_.model.backward(pass);
  batches.release();
}

}  // namespace lockstep

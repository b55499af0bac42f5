#include "train/workload/rank_memory.h"

#include <algorithm>
#include <iterator>

#include "base/peak_memory.h"
#include "collective/gradient_reducer.h"
#include "collective/tree_plan.h"
#include "data/batch_buffer.h"
#include "data/prefetcher.h"
#include "train/evaluation/evaluation.h"
#include "train/registry/hparams_sets.h"

namespace lockstep {
namespace {

// Rows of a share: samples, or symbols of sequences. Whole sequences may make it a little larger or smaller, and a
// longer sequence is a share by itself.
std::int64_t rows_of_share(const BatchPlan& batches) {
  const std::int64_t planned = (batches.global_batch() + batches.shares() - 1) / batches.shares();
  return std::max({planned, batches.largest_share(), batches.longest_sample()});
}

std::int64_t rows_of_evaluation(const MemoryRequest& request) {
  const Workload& workload = request.workload;
  return largest_evaluation_chunk(*workload.problem, workload.evaluated,
                                  samples_of_evaluation(request.settings, request.hparams, workload));
}

// Bytes of the partial sums over a step's parts that this rank computes, and of gradients in the type in which they
// travel.
std::int64_t gradient_copies(const MemoryRequest& request) {
  const RunPlan& plan = request.workload.plan;
  const std::int64_t values = request.workload.model->table().padded_count();
  const DType wire = wire_dtype_of(request.settings);
  std::int64_t sums = plan.accumulated > 1 ? 1 : 0;
  if (plan.micro_shards) sums = tree_partials(TreePlan(*plan.micro_shards, plan.owners));
  const bool travels = request.ranks > 1 && wire != DType::float32;
  return values * (sums * static_cast<std::int64_t>(size_of(DType::float32)) +
                   (travels ? static_cast<std::int64_t>(size_of(wire)) : 0));
}

// Bytes of rows in the host's memory: batches read ahead of the steps, and a chunk of an evaluation.
std::int64_t batch_bytes(const MemoryRequest& request, std::int64_t trained, std::int64_t evaluated) {
  const RunPlan& plan = request.workload.plan;
  const std::int64_t steps = std::max<std::int64_t>(plan.train_steps - plan.batches->from().step, 0);
  const std::int64_t ahead =
      std::min<std::int64_t>(Prefetcher::Options{}.depth, steps * plan.sum_updates * plan.own_shares);
  return row_bytes(request.workload.shape) * (ahead * trained + evaluated);
}

}  // namespace

MemoryEstimate estimate_memory(const MemoryRequest& request) {
  const TrainSettings& settings = request.settings;
  const Model& model = *request.workload.model;
  const bool one_for_all = values_place(request.strategy, settings) == ValuesPlace::one_for_all;
  MemoryFacts facts{.values = model.table().padded_count(),
                    .slots = request.slots,
                    .values_owners = one_for_all ? request.ranks : 1,
                    .slots_owners = one_for_all || settings.shard_optimizer ? request.ranks : 1,
                    .products = request.products,
                    .averaged = settings.ema.has_value(),
                    .gradient_copies = gradient_copies(request)};
  // An evaluation keeps what a training pass over as many rows keeps, in the same memory.
  const std::int64_t trained =
      request.workload.plan.own_shares == 0 ? 0 : rows_of_share(*request.workload.plan.gradients);
  const std::int64_t evaluated = rows_of_evaluation(request);
  facts.passes = model.pass_bytes(std::max(trained, evaluated), request.products);
  // Chunks of rows are small, but a chunk may be one long sequence.
  facts.passes_evaluate = facts.passes && evaluated > trained && request.workload.plan.batches->counts_tokens();
  if (request.on_host) {
    facts.present = own_memory_bytes();
    facts.saves = request.saves;
    facts.batches = batch_bytes(request, trained, evaluated);
  }
  return estimate_memory(facts);
}

BatchSize batch_size(const MemoryRequest& request) {
  const BatchPlan& batches = *request.workload.plan.gradients;
  const std::int64_t evaluated = rows_of_evaluation(request);
  const std::int64_t of_step = rows_of_share(batches);
  BatchSize size{.rows = std::max(of_step, evaluated),
                 .of_step = batches.counts_tokens() ? of_step : std::max(of_step, evaluated),
                 .least_rows = std::max(batches.longest_sample(), evaluated)};
  if (request.settings.global_batch_size) {
    size.setting = "--global_batch_size";
    size.step = batches.shares();
  }
  return size;
}

std::string describe_memory(const TrainSettings& settings, const Registry& registry, int ranks) {
  const HParams hparams = resolve_hparams(settings, registry);
  const StrategyKind& strategy = registry.strategies.find(settings.strategy);
  Workload workload = make_workload_alone(settings, hparams, registry, ranks);
  const MemoryRequest request{
      .settings = settings,
      .hparams = hparams,
      .strategy = strategy,
      .workload = workload,
      .slots = std::ssize(registry.optimizers.find(hparams.text("optimizer")).make(hparams)->slots()),
      .ranks = ranks,
      .saves = !settings.output_dir.empty(),
      .products = settings.precision == name(DType::bfloat16) ? DType::bfloat16 : DType::float32};
  return memory_table(estimate_memory(request));
}

}  // namespace lockstep

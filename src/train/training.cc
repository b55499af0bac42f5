#include "train/training.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "base/hparams_range.h"
#include "train/averaged_weights.h"
#include "train/model_averaging.h"
#include "train/output_folder.h"
#include "train/run_description.h"
#include "train/sync_strategy.h"
#include "train/task.h"
#include "train/trainer.h"

namespace lockstep {
namespace {

std::unique_ptr<Strategy> make_strategy(const TrainSettings& settings, const RunPlan& plan, const TrainingRank& rank,
                                        Replica& replica) {
  if (settings.strategy == "model_averaging") {
    return make_model_averaging(rank.world, rank.trace, replica,
                                {.sync_every = settings.sync_every, .accumulated_shares = plan.accumulated});
  }
  const auto bucket = static_cast<std::int64_t>(settings.fusion_mb * (1 << 20) / sizeof(float));
  return make_sync_strategy(rank.world, rank.trace, replica,
                            {.bucket_elements = std::max<std::int64_t>(bucket, 1),
                             .micro_shards = plan.micro_shards,
                             .accumulated_shares = plan.accumulated});
}

// What can be found wrong before any data are read, which may take minutes.
void check_hparams(const HParams& hparams) {
  const Schedule schedule(hparams, {});
  integer_or(0, hparams, "augment_shift", 0);
}

// How much of a split an evaluation takes: --eval_steps counts batches of one rank, whatever the number of ranks.
std::int64_t evaluated_samples(const TrainSettings& settings, const HParams& hparams) {
  constexpr std::int64_t kAll = std::numeric_limits<std::int64_t>::max();
  if (!settings.eval_steps) return kAll;
  const std::int64_t batch = integer_in(hparams, "batch_size", 1);
  return *settings.eval_steps > kAll / batch ? kAll : *settings.eval_steps * batch;
}

}  // namespace

HParams resolve_hparams(const TrainSettings& settings, const Registry& registry) {
  registry.problems.find(settings.problem);
  registry.models.find(settings.model);
  const std::string& set = settings.hparams_set.empty() ? settings.model : settings.hparams_set;
  HParams hparams = registry.hparams_sets.find(set)();
  hparams.parse(settings.hparams);
  return hparams;
}

TrainOutcome run_training(const TrainSettings& settings, const HParams& hparams, const Registry& registry,
                          const TrainingRank& rank) {
  const auto optimizer = registry.optimizers.find(hparams.text("optimizer"))(hparams);
  check_hparams(hparams);
  const double clip_norm = number_or(0, hparams, "clip_grad_norm", 0);
  const Task task = make_task(settings, hparams, registry, rank);
  const RunPlan& plan = task.plan;
  const Schedule schedule = make_schedule(hparams, plan);

  const ParameterStore parameters(task.model->table(), rank.world.allocator(), DType::float32, ControlValues::kWords);
  if (rank.world.rank() == 0) initialize(rank.backend, parameters, task.model->initializers(), settings.seed);
  Replica replica(rank.backend, parameters, *optimizer, clip_norm);
  const auto strategy = make_strategy(settings, plan, rank, replica);
  std::optional<AveragedWeights> averaged;
  if (settings.ema) averaged.emplace(rank.backend, parameters, *settings.ema);
  auto metrics = open_output_folder(settings, rank);
  describe_run(settings, hparams, task, schedule, rank);

  Report report(rank.log, rank.trace, std::move(metrics),
                {.train_steps = plan.train_steps,
                 .steps_per_epoch = plan.shards.steps_per_epoch(),
                 .log_every = settings.log_every,
                 .classes = task.problem->shape().target == ProblemShape::Target::class_label});
  Trainer trainer(
      {.communicator = rank.world,
       .backend = rank.backend,
       .trace = rank.trace,
       .problem = *task.problem,
       .model = *task.model,
       .parameters = parameters,
       .strategy = *strategy,
       .schedule = schedule,
       .plan = plan.shards,
       .report = report,
       .averaged = averaged ? &*averaged : nullptr,
       .augmentation = task.augmentation.get()},
      {.train_steps = plan.train_steps,
       .eval_frequency = settings.eval_frequency == 0 ? 0 : std::max<std::int64_t>(100, settings.eval_frequency),
       .eval_samples = evaluated_samples(settings, hparams),
       .seed = settings.seed,
       .first_share = plan.first_share,
       .stop_requested = rank.stop_requested});
  return trainer.run();
}

}  // namespace lockstep

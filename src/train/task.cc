#include "train/task.h"

#include <fmt/format.h>

#include <limits>

#include "base/hparams_range.h"
#include "train/job_agreement.h"
#include "train/measure_inputs.h"

namespace lockstep {
namespace {

constexpr std::int64_t kMostClasses = std::numeric_limits<std::int32_t>::max();  // labels are int32

// What hparams augment_shift and augment_flip ask for, where a set has them.
Augmentation::Options augmentation_options(const TrainSettings& settings, const HParams& hparams) {
  return {.shift = integer_or(0, hparams, "augment_shift", 0),
          .flip = boolean_or(false, hparams, "augment_flip"),
          .seed = settings.seed};
}

// A problem may know its classes better than hparam num_classes.
void check_classes(const TrainSettings& settings, const ProblemOptions& options, const ProblemShape& shape) {
  const std::int64_t asked = options.num_classes.value_or(0);
  if (asked == 0 || asked == shape.outputs) return;
  throw Error(ExitCode::configuration,
              fmt::format("hparam num_classes is {}, but problem {} has {} classes; leave it out", asked,
                          settings.problem, shape.outputs),
              Scope::every_rank);
}

}  // namespace

ProblemOptions problem_options(const TrainSettings& settings, const HParams& hparams) {
  return {.data_dir = settings.data_dir,
          .seed = settings.seed,
          .num_classes = integer_or(0, hparams, "num_classes", 0, kMostClasses)};
}

Schedule make_schedule(const HParams& hparams, const RunPlan& plan) {
  return Schedule(hparams, {.train_steps = plan.train_steps,
                            .steps_per_epoch = plan.shards.steps_per_epoch(),
                            .global_batch = plan.update_batch});
}

Task make_task(const TrainSettings& settings, const HParams& hparams, const Registry& registry,
               const TrainingRank& rank, const ShardPlan::Cursor& from) {
  // All ranks wait for the slowest reader in here, on whichever host it is: a long phase for all of them.
  const auto phase = rank.trace.enter(Phase::read);
  Communicator& world = rank.world;
  const ProblemOptions options = problem_options(settings, hparams);
  auto problem = registry.problems.find(settings.problem)(options);
  const RunPlan plan = plan_run(settings, hparams, *problem, world.rank(), world.size(), from);
  check_classes(settings, options, problem->shape());
  check_agreement(world, items_of(settings, hparams, plan, *problem));
  ProblemShape shape = problem->shape();
  if (boolean_or(false, hparams, "normalize_inputs")) {
    const InputStatistics statistics = measure_inputs(world, *problem);
    shape.input_mean = statistics.mean;
    shape.input_deviation = statistics.deviation;
  }
  std::unique_ptr<Augmentation> augmentation;
  if (const auto changes = augmentation_options(settings, hparams); changes.any()) {
    augmentation = std::make_unique<Augmentation>(shape, changes);
  }
  auto model = registry.models.find(settings.model)(hparams, shape);
  check_agreement(world, items_of(settings.model, model->table()));
  return {.problem = std::move(problem),
          .shape = shape,
          .plan = plan,
          .augmentation = std::move(augmentation),
          .model = std::move(model)};
}

}  // namespace lockstep

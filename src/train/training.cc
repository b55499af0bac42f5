#include "train/training.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "base/hparams_range.h"
#include "train/averaged_weights.h"
#include "train/model_averaging.h"
#include "train/run_description.h"
#include "train/run_start.h"
#include "train/sync_strategy.h"
#include "train/trainer.h"

namespace lockstep {
namespace {

std::unique_ptr<Strategy> make_strategy(const TrainSettings& settings, const RunPlan& plan, const TrainingRank& rank,
                                        Replica& replica) {
  if (settings.strategy == "model_averaging") {
    return make_model_averaging(rank.world, rank.trace, replica,
                                {.sync_every = settings.sync_every, .accumulated_shares = plan.accumulated});
  }
  const auto bucket = static_cast<std::int64_t>(settings.fusion_mb.value_or(kFusionMb) * (1 << 20) / sizeof(float));
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

// Whether an evaluation fell due at the step the run goes on from, and was lost with what was interrupted.
bool evaluation_is_due(const RunStart& run, const OpenedMetrics& metrics) {
  const std::int64_t every = eval_frequency(run.settings);
  const std::int64_t made = run.steps_made();
  if (every == 0 || made == 0 || metrics.evaluated) return false;
  // What fell due between two meetings waits for the second.
  const bool averages = run.settings.strategy == "model_averaging";
  const std::int64_t since_meeting = averages ? (made - 1) % run.settings.sync_every + 1 : 1;
  return made / every > (made - since_meeting) / every;
}

// The run itself, from a state that is in place. COLLECTIVE.
TrainOutcome train(RunStart& run, const TrainingRank& rank, Strategy& strategy, const TrainingState& state) {
  const TrainSettings& settings = run.settings;
  const RunPlan& plan = run.task.plan;
  OpenedMetrics metrics = begin_files(run, rank);
  Report report(rank.log, rank.trace, std::move(metrics.file),
                {.first_step = run.steps_made() + 1,
                 .train_steps = plan.train_steps,
                 .log_every = settings.log_every,
                 .wall_seconds = metrics.wall_seconds,
                 .classes = run.task.shape.target == ProblemShape::Target::class_label});
  if (run.from) report.resumed(*run.from);
  std::optional<Saver> saver;
  if (!settings.output_dir.empty()) {
    saver.emplace(
        Saver::Parts{.rank = rank, .state = state, .folder = run.output.checkpoints.get(), .lease = run.output.lease},
        run.header(rank.world.size()));
    describe_saving(settings, state, rank.log);
  }
  Requests requests(rank.world, rank.stop,
                    {.save_time = saver ? settings.save_time : std::nullopt, .stop_after = settings.stop_after});
  Trainer trainer({.communicator = rank.world,
                   .backend = rank.backend,
                   .trace = rank.trace,
                   .problem = *run.task.problem,
                   .model = *run.task.model,
                   .parameters = state.replica.parameters(),
                   .strategy = strategy,
                   .schedule = run.schedule,
                   .plan = plan.shards,
                   .report = report,
                   .requests = requests,
                   .averaged = state.average,
                   .augmentation = run.task.augmentation.get(),
                   .saver = saver ? &*saver : nullptr},
                  {.train_steps = plan.train_steps,
                   .eval_frequency = eval_frequency(settings),
                   .evaluate_first = evaluation_is_due(run, metrics),
                   .save_frequency = save_frequency(settings),
                   .eval_samples = evaluated_samples(settings, run.hparams),
                   .seed = settings.seed,
                   .first_share = plan.first_share});
  return trainer.run();
}

}  // namespace

HParams resolve_hparams(const TrainSettings& settings, const Registry& registry) {
  registry.problems.find(settings.problem);
  registry.models.find(settings.model);
  const std::string& set = settings.hparams_set.empty() ? settings.model : settings.hparams_set;
  HParams hparams = registry.hparams_sets.find(set)();
  hparams.override_with(settings.config_hparams, "--config");
  hparams.parse(settings.hparams, "--print_hparams shows all names");
  return hparams;
}

TrainOutcome run_training(const TrainSettings& settings, const HParams& hparams, const Registry& registry,
                          const TrainingRank& rank) {
  const auto optimizer = registry.optimizers.find(hparams.text("optimizer"))(hparams);
  check_hparams(hparams);
  const double clip_norm = number_or(0, hparams, "clip_grad_norm", 0);
  RunStart run = start_run(settings, hparams, registry, rank);

  const ParameterStore parameters(run.task.model->table(), rank.world.allocator(), DType::float32,
                                  ControlValues::kWords);
  Replica replica(rank.backend, parameters, *optimizer, clip_norm);
  const auto strategy = make_strategy(run.settings, run.task.plan, rank, replica);
  std::optional<AveragedWeights> averaged;
  if (settings.ema) averaged.emplace(rank.backend, parameters, *settings.ema);
  const TrainingState state{.world = rank.world,
                            .model = settings.model,
                            .replica = replica,
                            .average = averaged ? &*averaged : nullptr,
                            .own_optimizer_state = strategy->own_optimizer_state()};
  describe_run(run.settings, hparams, run.task, run.schedule, rank);
  if (run.from) describe_resumption(*run.from, run.task.plan, rank.log);
  begin_state(run, rank, *strategy, state);
  TrainOutcome outcome = train(run, rank, *strategy, state);
  if (run.output.lease) run.output.lease->release();
  return outcome;
}

}  // namespace lockstep

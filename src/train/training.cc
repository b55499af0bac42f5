#include "train/training.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <optional>

#include "base/durable_file.h"
#include "base/hparams_json.h"
#include "base/hparams_range.h"
#include "collective/make_communicator.h"
#include "train/averaged_weights.h"
#include "train/model_averaging.h"
#include "train/output_folder.h"
#include "train/resume.h"
#include "train/run_config.h"
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

// What the checkpoints of this run have in common, and where it begins.
CheckpointHeader header_of(const TrainSettings& settings, const HParams& hparams, const Task& task,
                           std::span<const ConfigItem> config, int ranks) {
  const ShardPlan::Cursor& cursor = task.plan.shards.options().from;
  return {.step = cursor.step,
          .cursor = cursor,
          .seed = settings.seed,
          .model = settings.model,
          .problem = settings.problem,
          .hparams = hparams_to_json(hparams),
          .config = to_json(config, ranks)};
}

// Gives every replica its first state: the chief's initial values, or the checkpoint's. COLLECTIVE.
void begin(const TrainSettings& settings, const Task& task, const TrainingRank& rank, Strategy& strategy,
           const TrainingState& state, std::optional<Resumption>& from, bool new_optimizer) {
  if (from) {
    const auto phase = rank.trace.enter(Phase::read);
    const std::string remark = restore(*from, state, new_optimizer);
    if (!remark.empty()) rank.log.info("{}", remark);
    return;
  }
  if (rank.world.rank() == 0) {
    initialize(rank.backend, state.replica.parameters(), task.model->initializers(), settings.seed);
  }
  strategy.start();
  if (state.average != nullptr) state.average->start();
}

// Refuses to go on with what would be another run, unless the user takes that knowingly.
void check_changes(const TrainSettings& settings, std::span<const ConfigItem> config, const TrainingRank& rank,
                   const Resumption& from) {
  for (const std::string& line :
       check_config(from.config, config, rank.world.size(), settings.allow_changes, from.file)) {
    rank.log.warning("{}", line);
  }
}

bool changed(const Resumption& from, std::span<const ConfigItem> config, std::string_view name) {
  const auto named = [name](const ConfigItem& item) { return item.name == name; };
  const auto saved = std::ranges::find_if(from.config.items, named);
  const auto now = std::ranges::find_if(config, named);
  if (saved == from.config.items.end() || now == config.end()) return false;
  return saved->value != now->value;
}

// What decides the bits of a sum beside our own settings.
std::string summation(const Communicator& world) {
  const std::string features = communicator_features();  // "Open MPI 4.1.4, no nccl"
  if (std::string_view(world.name()) != "mpi") return world.name();
  return fmt::format("mpi, {}", features.substr(0, features.find(',')));
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

TrainOutcome run_training(const TrainSettings& asked, const HParams& hparams, const Registry& registry,
                          const TrainingRank& rank) {
  const auto optimizer = registry.optimizers.find(hparams.text("optimizer"))(hparams);
  check_hparams(hparams);
  const double clip_norm = number_or(0, hparams, "clip_grad_norm", 0);
  const OutputFolder output = open_output_folder(asked, rank);
  std::optional<Resumption> from = find_resumption(asked, rank, output);
  TrainSettings settings = asked;
  settings.fusion_mb = resolved_fusion_mb(asked, from, rank.world.size());
  const Task task = make_task(settings, hparams, registry, rank, from ? from->header.cursor : ShardPlan::Cursor{});
  const RunPlan& plan = task.plan;
  const Schedule schedule = make_schedule(hparams, plan);
  const auto config = config_items(settings, hparams, plan, task.problem->count(Split::train), summation(rank.world));
  if (from) check_changes(settings, config, rank, *from);

  const ParameterStore parameters(task.model->table(), rank.world.allocator(), DType::float32, ControlValues::kWords);
  Replica replica(rank.backend, parameters, *optimizer, clip_norm);
  const auto strategy = make_strategy(settings, plan, rank, replica);
  std::optional<AveragedWeights> averaged;
  if (settings.ema) averaged.emplace(rank.backend, parameters, *settings.ema);
  const TrainingState state{.world = rank.world,
                            .model = settings.model,
                            .replica = replica,
                            .average = averaged ? &*averaged : nullptr,
                            .own_optimizer_state = strategy->own_optimizer_state()};
  describe_run(settings, hparams, task, schedule, rank);
  if (from) describe_resumption(*from, plan, rank.log);
  begin(settings, task, rank, *strategy, state, from, from && changed(*from, config, "optimizer"));

  const std::int64_t made = plan.shards.options().from.step;
  const bool nothing_left = made >= plan.train_steps;
  if (output.checkpoints) {
    if (from) output.checkpoints->resume_at(made);
    const std::string text = config_json(settings, hparams);
    replace_file((std::filesystem::path(output.path) / "config.json").string(), std::as_bytes(std::span(text)));
  }
  OpenedMetrics metrics = open_metrics(output, rank, from ? std::optional(made) : std::nullopt, nothing_left);
  Report report(rank.log, rank.trace, std::move(metrics.file),
                {.first_step = made + 1,
                 .train_steps = plan.train_steps,
                 .log_every = settings.log_every,
                 .wall_seconds = metrics.wall_seconds,
                 .classes = task.problem->shape().target == ProblemShape::Target::class_label});
  if (from) report.resumed(*from);
  std::optional<Saver> saver;
  if (!settings.output_dir.empty()) {
    saver.emplace(Saver::Parts{.rank = rank, .state = state, .folder = output.checkpoints.get(), .lease = output.lease},
                  header_of(settings, hparams, task, config, rank.world.size()));
    describe_saving(settings, state, rank.log);
  }
  Requests requests(rank.world, rank.stop,
                    {.save_time = saver ? settings.save_time : std::nullopt, .stop_after = settings.stop_after});
  const std::int64_t evaluated_every = eval_frequency(settings);
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
       .requests = requests,
       .averaged = averaged ? &*averaged : nullptr,
       .augmentation = task.augmentation.get(),
       .saver = saver ? &*saver : nullptr},
      {.train_steps = plan.train_steps,
       .eval_frequency = evaluated_every,
       .evaluate_first = made > 0 && evaluated_every > 0 && made % evaluated_every == 0 && !metrics.evaluated,
       .save_frequency = save_frequency(settings),
       .eval_samples = evaluated_samples(settings, hparams),
       .seed = settings.seed,
       .first_share = plan.first_share});
  const TrainOutcome outcome = trainer.run();
  if (output.lease) output.lease->release();
  return outcome;
}

}  // namespace lockstep

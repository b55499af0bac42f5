#include "train/training.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>

#include "train/job_agreement.h"
#include "train/model_averaging.h"
#include "train/sync_strategy.h"
#include "train/trainer.h"

namespace lockstep {
namespace {

[[noreturn]] void refuse(ExitCode code, const std::string& why) { throw Error(code, why, Scope::every_rank); }

std::unique_ptr<Problem> read_problem(const TrainSettings& settings, const Registry& registry,
                                      const TrainingRank& rank) {
  auto problem = registry.problems.find(settings.problem)({.data_dir = settings.data_dir, .seed = settings.seed});
  const std::int64_t samples = problem->count(Split::train);
  if (samples < rank.world.size()) {
    refuse(ExitCode::configuration, fmt::format("{} ranks, but problem {} has only {} training samples; start at most "
                                                "as many ranks as there are samples",
                                                rank.world.size(), settings.problem, samples));
  }
  return problem;
}

constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();  // of samples in a batch, and of steps

std::int64_t positive(const HParams& hparams, const std::string& name) {
  const std::int64_t value = hparams.integer(name);
  if (value >= 1 && value <= kMost) return value;
  refuse(ExitCode::usage, fmt::format("hparam {} is {}; it has to be between 1 and {}", name, value, kMost));
}

// How a global batch is cut: with --exact into micro-shards, else into one share per rank.
ShardPlan make_plan(const TrainSettings& settings, const HParams& hparams, std::int64_t samples, int ranks) {
  const std::int64_t wanted =
      settings.global_batch_size ? *settings.global_batch_size : positive(hparams, "batch_size") * ranks;
  return ShardPlan({.samples = samples,
                    .global_batch = std::min(wanted, samples),
                    .shares = settings.micro_shards.value_or(ranks),
                    .seed = settings.seed});
}

std::unique_ptr<Strategy> make_strategy(const TrainSettings& settings, const TrainingRank& rank, Replica& replica) {
  if (settings.strategy == "model_averaging") {
    return make_model_averaging(rank.world, rank.trace, replica, settings.sync_every);
  }
  const auto bucket = static_cast<std::int64_t>(settings.fusion_mb * (1 << 20) / sizeof(float));
  return make_sync_strategy(
      rank.world, rank.trace, replica,
      {.bucket_elements = std::max<std::int64_t>(bucket, 1), .micro_shards = settings.micro_shards});
}

// The chief makes the folders and the metrics file, before any other rank opens its log in them.
std::unique_ptr<MetricsFile> open_output(const TrainSettings& settings, const TrainingRank& rank) {
  if (settings.output_dir.empty()) return nullptr;
  const auto phase = rank.trace.enter(Phase::write);
  const std::filesystem::path folder(settings.output_dir);
  std::unique_ptr<MetricsFile> metrics;
  if (rank.world.rank() == 0) {
    std::error_code failure;
    std::filesystem::create_directories(folder / "log", failure);
    if (failure) {
      throw Error(ExitCode::cannot_write, fmt::format("cannot make the folder {}: {}; give another --output_dir",
                                                      (folder / "log").string(), failure.message()));
    }
    const std::string file = (folder / "metrics.jsonl").string();
    if (std::filesystem::exists(file)) rank.log.warning("{} of an earlier run is replaced", file);
    metrics = std::make_unique<MetricsFile>(file);
  }
  rank.world.barrier();
  rank.log.open_file((folder / "log" / fmt::format("rank-{:04}.log", rank.world.rank())).string());
  // What stderr has seen before the file was there, and what a reader of the file alone would miss.
  rank.log.debug(
      "a run of lockstep {} begins on {} ranks: --problem={} --data_dir={} --model={} --hparams={} "
      "--strategy={} --random_seed={}",
      LOCKSTEP_VERSION, rank.world.size(), settings.problem, settings.data_dir, settings.model, settings.hparams,
      settings.strategy, settings.seed);
  return metrics;
}

void describe_run(const TrainSettings& settings, const HParams& hparams, const Problem& problem, const Model& model,
                  const ShardPlan& plan, std::int64_t train_steps, const TrainingRank& rank) {
  Log& log = rank.log;
  const ProblemShape shape = problem.shape();
  log.info("problem {}: {} training and {} test samples of {}, {} {}", settings.problem, problem.count(Split::train),
           problem.count(Split::test), shape.input.text(), shape.outputs,
           shape.target == ProblemShape::Target::class_label ? "classes" : "target values");
  log.info("model {}: {} parameters; {}, learning rate {} ({})", settings.model, model.table().parameter_count(),
           hparams.text("optimizer"), hparams.number("learning_rate"), hparams.text("learning_rate_schedule"));
  const std::int64_t batch = plan.options().global_batch;
  const int ranks = rank.world.size();
  const std::string cut = batch % ranks == 0 ? fmt::format("{} {} x {} samples = global batch {}", ranks,
                                                           ranks == 1 ? "rank" : "ranks", batch / ranks, batch)
                                             : fmt::format("global batch {} over {} ranks", batch, ranks);
  log.info("{}; {} steps per epoch, {} steps = {:.1f} epochs", cut, plan.steps_per_epoch(), train_steps,
           static_cast<double>(train_steps) / static_cast<double>(plan.steps_per_epoch()));
  if (settings.strategy == "sync") {
    log.info("strategy sync{}: gradients summed over {} in buckets of {} MB, {}",
             settings.micro_shards ? fmt::format(" --exact, {} micro-shards", *settings.micro_shards) : "",
             rank.world.name(), settings.fusion_mb,
             settings.overlap == Overlap::thread ? "on a thread of their own" : "as each closes");
  } else {
    log.info("strategy {}: replicas take their mean over {} every {} steps", settings.strategy, rank.world.name(),
             settings.sync_every);
  }
  if (settings.output_dir.empty()) log.info("no --output_dir: nothing is written");
  if (rank.world.rank() != 0) return;
  if (const std::int64_t asked = settings.global_batch_size.value_or(0); asked > batch) {
    log.warning("--global_batch_size={} is more than there are training samples: each step takes all {}", asked, batch);
  }
  if (batch < plan.options().shares) {
    log.warning("a global batch of {} does not reach all {} {}: some compute nothing", batch, plan.options().shares,
                settings.micro_shards ? "micro-shards" : "ranks");
  }
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
  const int ranks = rank.world.size();
  if (settings.micro_shards && *settings.micro_shards < ranks) {
    refuse(ExitCode::configuration, fmt::format("--exact with {} ranks needs at least {} micro-shards, not {}; raise "
                                                "--micro_shards (which changes the bits) or start fewer ranks",
                                                ranks, ranks, *settings.micro_shards));
  }
  const std::int64_t train_steps = settings.train_steps ? *settings.train_steps : positive(hparams, "train_steps");
  const auto optimizer = registry.optimizers.find(hparams.text("optimizer"))(hparams);
  std::unique_ptr<Problem> problem;
  std::unique_ptr<Model> model;
  {
    // All ranks wait for the slowest reader in here, on whichever host it is: a long phase for all of them.
    const auto phase = rank.trace.enter(Phase::read);
    problem = read_problem(settings, registry, rank);
    model = registry.models.find(settings.model)(hparams, problem->shape());
    check_agreement(rank.world, items_of(settings, train_steps, *problem, model->table()));
  }
  const ShardPlan plan = make_plan(settings, hparams, problem->count(Split::train), ranks);
  const Schedule schedule(hparams, {.train_steps = train_steps,
                                    .steps_per_epoch = plan.steps_per_epoch(),
                                    .global_batch = plan.options().global_batch});

  const ParameterStore parameters(model->table(), rank.world.allocator(), DType::float32, ControlValues::kWords);
  if (rank.world.rank() == 0) initialize(rank.backend, parameters, model->initializers(), settings.seed);
  Replica replica(rank.backend, parameters, *optimizer);
  const auto strategy = make_strategy(settings, rank, replica);
  auto metrics = open_output(settings, rank);
  describe_run(settings, hparams, *problem, *model, plan, train_steps, rank);

  Report report(rank.log, rank.trace, std::move(metrics),
                {.train_steps = train_steps,
                 .steps_per_epoch = plan.steps_per_epoch(),
                 .log_every = settings.log_every,
                 .classes = problem->shape().target == ProblemShape::Target::class_label});
  const int first_share = settings.micro_shards ? TreePlan(*settings.micro_shards, ranks).block(rank.world.rank()).begin
                                                : rank.world.rank();
  Trainer trainer(
      {.communicator = rank.world,
       .backend = rank.backend,
       .trace = rank.trace,
       .problem = *problem,
       .model = *model,
       .parameters = parameters,
       .strategy = *strategy,
       .schedule = schedule,
       .plan = plan,
       .report = report},
      {.train_steps = train_steps,
       .eval_frequency = settings.eval_frequency == 0 ? 0 : std::max<std::int64_t>(100, settings.eval_frequency),
       .seed = settings.seed,
       .first_share = first_share,
       .stop_requested = rank.stop_requested});
  return trainer.run();
}

}  // namespace lockstep

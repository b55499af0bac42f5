#include "train/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "base/hparams_range.h"
#include "collective/abandon_guard.h"
#include "train/config/pace.h"
#include "train/config/schedules.h"
#include "train/evaluation/past_evaluations.h"
#include "train/output/next_commands.h"
#include "train/run_description.h"
#include "train/run_setup.h"
#include "train/step/step_graphs.h"
#include "train/strategy/averaged_weights.h"
#include "train/trainer.h"
#include "train/workload/check_memory.h"

namespace lockstep {
namespace {

// Finds mistakes before any data are read, which may take minutes.
void check_hparams(const HParams& hparams) {
  const Schedule schedule(hparams, {});
  augmentation_options(hparams, 0);
}

// True if an evaluation was due at the step the run resumes from, and was lost when the run was interrupted.
bool evaluation_is_due(const RunSetup& run, const OpenedMetrics& metrics) {
  const std::int64_t every = run.eval_every;
  const std::int64_t made = run.steps_made();
  if (every == 0 || made == 0 || metrics.evaluated) return false;
  // An evaluation that falls due between two meetings waits for the second.
  const std::int64_t since_meeting = (made - 1) % meeting_interval(run.strategy, run.settings, run.hparams) + 1;
  return made / every > (made - since_meeting) / every;
}

std::int64_t samples_of_evaluation(const RunSetup& run) {
  return samples_of_evaluation(run.settings, run.hparams, run.workload);
}

// The interval in the form that time_left() takes.
std::optional<std::int64_t> evaluate_every(const RunSetup& run) {
  if (samples_of_evaluation(run) == 0) return {};
  return run.eval_every;
}

// The metric that decides the best evaluation: that of --keep_best, or the first that the problem has; for a language
// model the loss.
const Metric& best_by(const RunSetup& run) {
  if (run.best_rules.metric != nullptr) return *run.best_rules.metric;
  const ProblemShape& shape = run.workload.shape;
  if (shape.sample == ProblemShape::Sample::sequence) return *find_metric("loss");
  return *std::ranges::find_if(kMetrics, [&](const Metric& metric) { return metric.measures(shape); });
}

// The files that stay of the run, for its last lines; none with --schedule=test.
std::optional<RunFiles> files_of(const RunSetup& run) {
  const TrainSettings& settings = run.settings;
  if (schedule_kind(settings.schedule).work == Work::test) return {};
  const Problem& problem = *run.workload.problem;
  const bool evaluates = problem.count(Split::dev) > 0 || problem.count(Split::test) > 0;
  return RunFiles{.output_dir = settings.output_dir,
                  .next_commands = next_commands(settings, evaluates, programs_prefix(process_environment()))};
}

// Throws Error(configuration) if --cuda_graph is given but impossible. COLLECTIVE.
void check_graphs(const RunSetup& run, const TrainingRank& rank, const Strategy& strategy) {
  if (!run.settings.cuda_graph) return;
  const std::string why = first_text(rank.compute, why_no_graphs(rank.backend, *run.gradients, strategy));
  if (!why.empty()) throw Error(ExitCode::configuration, "--cuda_graph: " + why, Scope::every_rank);
}

// Trains from a state that is in place. COLLECTIVE.
TrainOutcome train(RunSetup& run, const TrainingRank& rank, Strategy& strategy, const TrainingState& state) {
  const TrainSettings& settings = run.settings;
  const RunPlan& plan = run.workload.plan;
  OpenedMetrics metrics = open_run_files(run, rank);
  std::optional<VariableHistograms> histograms;
  if (metrics.events != nullptr && settings.histogram_every > 0) {
    histograms.emplace(rank.backend, state.replica.parameters(), *metrics.events, settings.histogram_every);
  }
  const Metric& metric = best_by(run);
  Report report(rank.log, rank.trace, std::move(metrics.sink),
                {.first_step = run.steps_made() + 1,
                 .train_steps = plan.train_steps,
                 .log_every = settings.log_every,
                 .wall_seconds = metrics.wall_seconds,
                 .evaluate_every = evaluate_every(run),
                 .metric = &metric,
                 .counts_tokens = plan.batches->counts_tokens(),
                 .evaluations = past_evaluations(std::exchange(metrics.kept, {}), metric.name,
                                                 name(run.workload.evaluated), run.steps_made()),
                 .replicas = plan.owner_count(),
                 .computes = strategy.shares() > 0,
                 .others_go_on = !strategy.steps_in_order(),
                 .progress = [&strategy] { return strategy.progress(); },
                 .utf8 = encodes_utf8(process_environment()),
                 .files = files_of(run)});
  report.started(run.steps_made(), start_facts(run, rank));
  if (run.from) report.resumed(*run.from);
  std::optional<Saver> saver;
  if (!settings.output_dir.empty()) {
    const bool will_save = run.output.checkpoints != nullptr && run.steps_made() < plan.train_steps;
    if (will_save) run.output.checkpoints->check_room(saved_bytes(state));
    saver.emplace(Saver::Parts{.rank = rank,
                               .state = state,
                               .folder = run.output.checkpoints.get(),
                               .lease = run.output.lease,
                               .waiting = [&report] { report.saving(); }},
                  run.header(rank.compute.size()));
    describe_saving(settings, state, rank.log);
  }
  const SavePace pace = save_pace(settings);
  Requests requests(rank.world, rank.stop,
                    {.chief = rank.is_chief(),
                     .save_time = saver ? pace.time : std::nullopt,
                     .save_time_before_evaluation = saver ? pace.before_evaluation : std::nullopt,
                     .time_limit = settings.stop_after});
  BestChooser chooser(run.best_rules, run.past);
  Trainer trainer({.compute = rank.compute,
                   .backend = rank.backend,
                   .trace = rank.trace,
                   .problem = *run.workload.problem,
                   .model = *run.workload.model,
                   .parameters = state.replica.parameters(),
                   .strategy = strategy,
                   .schedule = run.schedule,
                   .plan = *plan.batches,
                   .gradients = *plan.gradients,
                   .report = report,
                   .requests = requests,
                   .chooser = chooser,
                   .averaged = state.average,
                   .augmentation = run.workload.augmentation.get(),
                   .saver = saver ? &*saver : nullptr,
                   .histograms = histograms ? &*histograms : nullptr},
                  {.train_steps = plan.train_steps,
                   .eval_frequency = run.eval_every,
                   .evaluated = run.workload.evaluated,
                   .evaluate_first = evaluation_is_due(run, metrics),
                   .save_frequency = pace.steps,
                   .eval_samples = samples_of_evaluation(run),
                   .histogram_every = settings.histogram_every,
                   .seed = settings.seed,
                   .first_share = plan.first_share,
                   .graphs = settings.cuda_graph});
  const AbandonGuard guard(*run.gradients);  // before the trainer's memory goes
  return trainer.run();
}

// Allocates the memory of the state, then trains. COLLECTIVE.
TrainOutcome make_and_train(RunSetup& run, const TrainingRank& rank, const Optimizer& optimizer, double clip_norm,
                            const JoinServers& join_servers) {
  const TrainSettings& settings = run.settings;
  ParameterStore parameters(run.workload.model->table(), run.values_memory(rank.backend), run.gradients->allocator(),
                            DType::float32);
  parameters.set_product_dtype(rank.backend, choose_products(settings, rank.backend));
  const std::string choice = choose_exchange(run.to_measure(), rank, optimizer, clip_norm, parameters);
  Replica replica(rank.backend, parameters, optimizer, clip_norm);
  std::optional<AveragedWeights> averaged;
  if (settings.ema) averaged.emplace(rank.backend, parameters, *settings.ema);
  const auto strategy = run.strategy.make({.settings = run.settings,
                                           .hparams = run.hparams,
                                           .plan = run.workload.plan,
                                           .communicator = *run.gradients,
                                           .trace = rank.trace,
                                           .replica = replica,
                                           .servers = join_servers ? join_servers(run) : nullptr,
                                           .average = averaged ? &*averaged : nullptr});
  check_graphs(run, rank, *strategy);
  const AbandonGuard guard(*run.gradients);  // before the memory of the model and its optimizer goes
  const TrainingState state{.compute = rank.compute,
                            .model = settings.model,
                            .replica = replica,
                            .strategy = *strategy,
                            .average = averaged ? &*averaged : nullptr};
  describe_run(run, *strategy, rank);
  if (!choice.empty()) rank.log.info("{}", choice);
  if (run.from) describe_resumption(run, *run.from, rank);
  restore_or_initialize(run, rank, *strategy, state);
  TrainOutcome outcome = train(run, rank, *strategy, state);
  run.gradients->close();
  if (run.output.lease) run.output.lease->release();
  return outcome;
}

}  // namespace

TrainOutcome run_training(const TrainSettings& settings, const HParams& hparams, const Registry& registry,
                          const TrainingRank& rank, const JoinServers& join_servers) {
  const auto optimizer = registry.optimizers.find(hparams.text("optimizer")).make(hparams);
  check_hparams(hparams);
  const double clip_norm = number_or(0, hparams, "clip_grad_norm", 0);
  RunSetup run = set_up_run(settings, hparams, registry, rank);
  return with_need_named(run.memory_need,
                         [&] { return make_and_train(run, rank, *optimizer, clip_norm, join_servers); });
}

}  // namespace lockstep

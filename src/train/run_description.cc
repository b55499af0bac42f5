#include "train/run_description.h"

#include <fmt/format.h>

#include <optional>
#include <vector>

#include "base/counted.h"
#include "base/printable.h"
#include "base/served_strategy.h"
#include "model/loss.h"
#include "optim/schedule_plot.h"
#include "train/config/eval_split.h"
#include "train/config/pace.h"
#include "train/config/schedules.h"
#include "train/output/start_line.h"
#include "train/registry/hparams_sets.h"
#include "train/strategy/strategy_name.h"
#include "train/workload/layer_lines.h"

namespace lockstep {
namespace {

void describe_problem(const TrainSettings& settings, const Workload& workload, Log& log) {
  const Problem& problem = *workload.problem;
  for (const std::string& note : problem.notes()) log.info("{}", note);
  const ProblemShape& shape = workload.shape;
  std::string splits = fmt::format("{} training", problem.count(Split::train));
  for (const Split split : {Split::dev, Split::test}) {
    if (problem.count(split) > 0) splits += fmt::format(", {} {}", problem.count(split), name(split));
  }
  if (shape.has_sequences()) {
    log.info("problem {}: {} {}, a vocabulary of {}", settings.problem, splits,
             shape.sample == ProblemShape::Sample::pair ? "pairs of sequences" : "sequences", shape.vocabulary);
    log.info("{}", describe_evaluated_split(problem, settings));
    return;
  }
  log.info("problem {}: {} samples of {}, {}{}", settings.problem, splits, shape.input.text(),
           shape.target == ProblemShape::Target::class_label ? counted(shape.outputs, "class", "classes")
                                                             : counted(shape.outputs, "target value"),
           shape.normalised ? "; inputs normalised by the training split" : "");
  log.info("{}", describe_evaluated_split(problem, settings));
  if (const BlockLayout layout = workload.plan.batches->layout(); layout.block > 0) {
    log.info("training samples are streamed in blocks of {}, shuffled within windows of {}", layout.block,
             counted(layout.window_blocks, "block"));
  }
}

void describe_model(const TrainSettings& settings, const HParams& hparams, const Workload& workload, Log& log) {
  const ProblemShape& shape = workload.shape;
  // The line names the loss, except for class labels when hparam loss is left at auto.
  const std::string loss = shape.target == ProblemShape::Target::real || hparams.text("loss") != "auto"
                               ? fmt::format("loss {}; ", loss_name(hparams, shape.target))
                               : "";
  const std::string precision = settings.precision == "float32" ? "" : fmt::format(" in {}", settings.precision);
  const bool by_problem = !is_given(settings, "model") && settings.model != TrainSettings{}.model;
  log.info("model {}{}: {}{}; {}{}, learning rate {} ({})", settings.model,
           by_problem ? " (the default for this problem)" : "",
           counted(workload.model->table().parameter_count(), "parameter"), precision, loss, hparams.text("optimizer"),
           hparams.number("learning_rate"), hparams.text("learning_rate_schedule"));
  for (const std::string& line : layer_lines(workload.model->table())) log.info("  {}", line);
}

std::string batch_text(const RunPlan& plan, int ranks) {
  const std::int64_t batch = plan.batches->global_batch();
  const std::int64_t parts = std::int64_t{ranks} * plan.accumulated;
  const bool of_tokens = plan.batches->counts_tokens();
  const char* const unit = of_tokens ? "token" : "sample";
  if (parts == 0 || batch % (plan.sum_updates * parts) != 0) {
    return fmt::format("global batch {} over {}", of_tokens ? counted(batch, unit) : std::to_string(batch),
                       counted(ranks, "rank"));
  }
  const std::string gradients = plan.sum_updates == 1 ? "" : fmt::format("{} gradients x ", plan.sum_updates);
  const std::string passes = plan.accumulated == 1 ? "" : fmt::format(" x {} passes", plan.accumulated);
  return fmt::format("{}{}{} x {} = global batch {}", gradients, counted(ranks, "rank"), passes,
                     counted(batch / plan.sum_updates / parts, unit), batch);
}

// The steps of a plan as text, with its epochs unless the run has already gone beyond these steps.
std::string steps_text(const RunPlan& plan) {
  std::string steps = counted(plan.train_steps, "step");
  if (plan.batches->from().step > plan.train_steps) return steps;
  return fmt::format("{} = {:.1f} epochs", steps, plan.epochs());
}

// The pace as text: "every 1000 steps or 600 s, whichever comes first, and at the end".
std::string when_saved(const SavePace& pace) {
  if (!pace.time) return fmt::format("every {} and at the end", counted(pace.steps, "step"));
  if (pace.steps == 0) return fmt::format("every {} s and at the end", pace.time->count());
  return fmt::format("every {} or {} s, whichever comes first, and at the end", counted(pace.steps, "step"),
                     pace.time->count());
}

// Says which of --train_steps and --train_epochs ends the run, if the user has given both; else "".
std::string length_text(const TrainSettings& settings, const RunPlan& plan) {
  if (!settings.train_steps || !settings.train_epochs) return "";
  const std::string steps = fmt::format("--train_steps={}", *settings.train_steps);
  const std::string epochs = fmt::format("--train_epochs={}", *settings.train_epochs);
  const bool by_steps = plan.train_steps == *settings.train_steps;
  return fmt::format("{} comes before the end of {}: the run ends after step {}", by_steps ? steps : epochs,
                     by_steps ? epochs : steps, plan.train_steps);
}

void warn_of_batch(const TrainSettings& settings, const HParams& hparams, const RunPlan& plan, Log& log) {
  const std::int64_t batch = plan.gradients->global_batch();
  const std::int64_t own = hparams.integer("batch_size");
  const std::int64_t passes = std::int64_t{plan.owner_count()} * plan.accumulated;
  if (const std::int64_t dropped = plan.batches->dropped(); dropped > 0) {
    log.warning("{} left out, longer than hparam max_length={}",
                counted(dropped, "training sequence is", "training sequences are"), hparams.integer("max_length"));
  }
  const std::int64_t longest = plan.batches->longest_sample();
  if (const int shares = plan.batches->shares(); longest > 1 && longest * shares > batch) {
    log.warning("a global batch of {} tokens is too small for a sequence of {}{}; give hparam batch_size={} or more",
                batch, longest,
                shares == 1 ? ": each of those is a batch by itself"
                            : fmt::format(" in each of {} passes: ranks may have nothing to do in a step", shares),
                longest);
  }
  if (settings.global_batch_size.value_or(own * passes) > batch) {
    const std::string asked =
        settings.global_batch_size
            ? fmt::format("--global_batch_size={}", *settings.global_batch_size)
            : fmt::format("{}hparam batch_size={}", passes == 1 ? "" : fmt::format("{} times ", passes), own);
    log.warning("{} is more than there are training samples: each {} takes all {}", asked,
                plan.sum_updates == 1 ? "step" : "gradient", batch);
  }
  if (batch < plan.batches->shares()) {
    log.warning("a global batch of {} does not reach all {} {}: some compute nothing", batch, plan.batches->shares(),
                plan.micro_shards ? "micro-shards" : "passes of all ranks");
  }
}

// The ranks whose replica a checkpoint is of. With parameter servers that is the chief's alone, whoever trained.
std::string who_saved(const SavedConfig& saved) {
  return saved_strategy(saved) == kParameterServer ? "a job with parameter servers" : counted(saved.ranks, "rank");
}

// The pace of this run on the number of ranks that saved the checkpoint; nothing if they could not run it.
std::optional<Pace> pace_when_saved(const RunSetup& run, const Resumption& from) {
  const Problem& problem = *run.workload.problem;
  const int ranks = from.config.ranks;
  if (ranks < 1 || ranks > problem.count(Split::train)) return {};
  try {
    const std::vector<bool> all_compute(static_cast<std::size_t>(ranks), true);
    const RunPlan plan =
        plan_run(run.settings, run.hparams, problem, 0, all_compute, from.header.cursor, run.strategy.update_batch);
    return pace_of(plan, make_schedule(run.hparams, plan));
  } catch (const Error&) {  // this run's settings do not fit that many ranks
    return {};
  }
}

// Says what becomes of the checkpoint's missed batches.
void describe_missed(const BatchCursor& saved, const RunPlan& plan, Log& log) {
  if (saved.missed.empty()) return;
  std::int64_t samples = 0;
  for (const std::vector<std::int64_t>& batch : saved.missed) samples += std::ssize(batch);
  const bool one = saved.missed.size() == 1;
  const std::string listed = fmt::format("the checkpoint lists {} ({}) that {} not applied when it was saved",
                                         counted(std::ssize(saved.missed), "batch", "batches"),
                                         counted(samples, "sample"), one ? "was" : "were");
  if (plan.batches->from().missed.empty()) {
    log.warning("{}: left out, because the training data have changed", listed);
  } else {
    log.info("{}: {} first", listed, one ? "it comes" : "they come");
  }
}

}  // namespace

void describe_run(const RunSetup& run, const Strategy& strategy, const TrainingRank& rank) {
  const TrainSettings& settings = run.settings;
  const RunPlan& plan = run.workload.plan;
  if (rank.backend.device().kind != Device::Kind::cpu) rank.log.info("computing on {}", rank.backend.description());
  describe_problem(settings, run.workload, rank.log);
  describe_model(settings, run.hparams, run.workload, rank.log);
  rank.log.info("{}; {} per epoch, {}", batch_text(plan, plan.owner_count()),
                counted(plan.batches->steps_per_epoch(), "step"), steps_text(plan));
  if (const std::string length = length_text(settings, plan); !length.empty()) rank.log.info("{}", length);
  if (const std::string scaling = run.schedule.description(); !scaling.empty()) rank.log.info("{}", scaling);
  rank.log.info("strategy {}: {}", settings.strategy, strategy.description());
  if (const std::string details = run.gradients->details(); !details.empty()) rank.log.info("{}", details);
  if (settings.cuda_graph) rank.log.info("each step is given to the GPU as two CUDA graphs, from the second step on");
  if (const std::string raised = describe_raised_frequency(settings); !raised.empty()) rank.log.info("{}", raised);
  if (settings.ema) rank.log.info("evaluations take the moving average of the weights, decay {}", *settings.ema);
  if (const std::string rules = describe(run.best_rules); !rules.empty()) rank.log.info("{}", rules);
  if (!rank.is_chief()) return;  // every rank finds the same
  if (settings.output_dir.empty() && schedule_kind(settings.schedule).work == Work::train) {
    rank.log.warning(
        "no --output_dir: nothing is written, and the model is lost at the end; --output_dir=RUN keeps it");
  }
  for (const std::string& remark : run.workload.problem->remarks()) rank.log.warning("{}", remark);
  warn_of_batch(settings, run.hparams, plan, rank.log);
}

Json::Object start_facts(const RunSetup& run, const TrainingRank& rank) {
  const RunPlan& plan = run.workload.plan;
  const int servers = rank.served != nullptr ? rank.served->servers : 0;
  Json::Object facts = start_members(servers > 0 ? rank.everyone().size() - servers : rank.compute.size());
  if (servers > 0) facts.emplace_back("servers", std::int64_t{servers});
  const Json::Object of_run{{"global_batch", plan.batches->global_batch()},
                            {"steps_per_epoch", plan.batches->steps_per_epoch()},
                            {"train_steps", plan.train_steps},
                            {"seed", static_cast<std::int64_t>(run.settings.seed)},
                            {"problem", run.settings.problem},
                            {"model", run.settings.model},
                            {"strategy", run.settings.strategy},
                            {"precision", run.settings.precision},
                            {"hparams", parse_json(run.hparams_json())}};
  facts.insert(facts.end(), of_run.begin(), of_run.end());
  if (run.workload.shape.target == ProblemShape::Target::class_label) {
    facts.emplace_back("classes", run.workload.shape.outputs);
  }
  if (run.warm) facts.emplace_back("warm_start_from", run.warm->file);
  return facts;
}

void describe_resumption(const RunSetup& run, const Resumption& from, const TrainingRank& rank) {
  const std::int64_t step = from.header.step;
  const RunPlan& plan = run.workload.plan;
  Log& log = rank.log;
  log.info("resumed from {}: step {}, epoch {:.2f}, saved by {}", escaped(from.file), step, plan.batches->epochs(step),
           who_saved(from.config));
  if (rank.is_chief()) describe_missed(from.header.cursor, plan, log);
  if (step > plan.train_steps && rank.is_chief()) {
    log.warning("step {} is beyond the {} asked for: the run counts as finished; give a larger --train_steps to go on",
                step, counted(plan.train_steps, "step"));
  }
  const int ranks = rank.compute.size();
  if (!rank.is_chief() || from.config.ranks == ranks) return;
  const std::optional<Pace> before = pace_when_saved(run, from);
  if (!before) return;
  const std::string changes = describe_changes(*before, pace_of(plan, run.schedule));
  if (changes.empty()) return;
  const std::string cure =
      run.settings.global_batch_size
          ? ""
          : fmt::format("; --global_batch_size={} --allow_changes=global_batch_size would keep the batch",
                        before->global_batch);
  log.warning("saved by {}, resumed on {}: {}{}", who_saved(from.config), counted(ranks, "rank"), changes, cure);
}

void describe_saving(const TrainSettings& settings, const TrainingState& state, Log& log) {
  const double megabytes = static_cast<double>(saved_bytes(state)) / 1e6;
  const double copied = static_cast<double>(copied_bytes(state)) / 1e6;
  std::string kept = fmt::format("the newest {} are kept, or as many as fit half of the disk", kUsuallyKept.most);
  if (settings.keep_checkpoints) {
    const std::int64_t most = *settings.keep_checkpoints;
    kept = most == 0 ? "all are kept" : fmt::format("the newest {} are kept", most);
  }
  log.info("checkpoints of {:.1f} MB in {} {}; {}; saving takes up to {:.1f} MB of memory on rank 0", megabytes,
           escaped(settings.output_dir), when_saved(save_pace(settings)), kept, megabytes + copied);
}

std::string describe_schedule(const TrainSettings& settings, const Registry& registry, int ranks) {
  const HParams hparams = resolve_hparams(settings, registry);
  const auto problem = make_problem(settings, hparams, registry);
  const StrategyKind& strategy = registry.strategies.find(settings.strategy);
  const std::vector<bool> all_compute(static_cast<std::size_t>(ranks), true);
  const RunPlan plan = plan_run(settings, hparams, *problem, 0, all_compute, {}, strategy.update_batch);
  const Schedule schedule = make_schedule(hparams, plan);
  const std::string scaling = schedule.description();
  return fmt::format("learning rate {} ({}), {} = {:.1f} epochs on {}\n{}{}", hparams.number("learning_rate"),
                     hparams.text("learning_rate_schedule"), counted(plan.train_steps, "step"), plan.epochs(),
                     counted(ranks, "rank"), scaling.empty() ? "" : scaling + "\n",
                     schedule_plot(schedule, plan.train_steps));
}

}  // namespace lockstep

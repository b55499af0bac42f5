#include "train/workload/workload.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

#include "base/hparams_range.h"
#include "base/printable.h"
#include "data/holdout_problem.h"
#include "tensor/channel_order.h"
#include "train/config/agreement.h"
#include "train/config/data_digest.h"
#include "train/config/eval_split.h"
#include "train/config/pace.h"
#include "train/config/plan_batches.h"
#include "train/config/schedules.h"
#include "train/registry/hparams_sets.h"
#include "train/workload/measure_inputs.h"
#include "train/workload/stop_while_reading.h"

namespace lockstep {
namespace {

constexpr std::int64_t kMaxClasses = std::numeric_limits<std::int32_t>::max();  // labels are int32

// For each rank of the compute group, whether it has shares. COLLECTIVE.
std::vector<bool> share_owners(const TrainingRank& rank) {
  const auto all = all_gather_value(rank.compute, std::uint8_t{rank.has_shares});
  return {all.begin(), all.end()};
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

// True if the loss was chosen, and is one for numbers.
bool predicts_numbers(const HParams& hparams) {
  const std::string loss = hparams.has("loss") ? hparams.text("loss") : "auto";
  return loss != "auto" && loss != "softmax_cross_entropy";
}

TokenizerKind tokenizer_of(const HParams& hparams, const Registry& registry) {
  if (!hparams.has("text_unit")) return character_tokenizer();
  const std::string& wanted = hparams.text("text_unit");
  if (registry.tokenizers.has(wanted)) return registry.tokenizers.find(wanted);
  throw Error(ExitCode::usage,
              fmt::format("hparam text_unit={}: there are {}", escaped(wanted),
                          escaped(fmt::format("{}", fmt::join(registry.tokenizers.names(), ", ")))),
              Scope::every_rank);
}

// Describes the training data. Generated data are a function of problem and seed, and need not have the same bits on
// another kind of processor. The digest reads samples, so it is made only if there is another rank or a checkpoint to
// compare it with.
TrainingData describe_data(const TrainSettings& settings, const Problem& problem, int ranks) {
  const bool compared = !settings.data_dir.empty() && (ranks > 1 || !settings.output_dir.empty());
  TrainingData data{.samples = problem.count(Split::train)};
  if (!compared) return data;
  data.digest = data_digest(problem, Split::train);
  if (!problem.shape().has_sequences()) return data;
  data.checksum = data_checksum(problem, Split::train);
  data.dev_checksum = data_checksum(problem, Split::dev);
  return data;
}

// True if inputs can be normalised. The constants belong to indices of the last axis: for images with channels first,
// each column would get its own.
bool is_normalizable(const ProblemShape& shape) {
  return shape.input_type == DType::float32 && !channels_seem_first(shape.input);
}

[[noreturn]] void refuse_to_normalize(const ProblemShape& shape) {
  if (shape.input_type != DType::float32) {
    throw Error(
        ExitCode::configuration,
        "hparam normalize_inputs brings numbers to mean 0 and standard deviation 1, and this problem's inputs are "
        "symbols; leave it out",
        Scope::every_rank);
  }
  throw Error(ExitCode::configuration,
              fmt::format("hparam normalize_inputs: images of {} {}", shape.input.text(), kChannelsLastCure),
              Scope::every_rank);
}

// Refuses, before the first step rather than after many, sequences that are too long: training leaves them out,
// evaluations do not.
void check_lengths(const TrainSettings& settings, const Model& model, const Problem& problem, Split evaluated) {
  const std::int64_t most = model.longest_sequence();
  if (most == 0) return;
  for (std::int64_t sample = 0; sample < problem.count(evaluated); ++sample) {
    const std::int64_t length = problem.lengths(evaluated, sample).longest();
    if (length <= most) continue;
    throw Error(ExitCode::configuration,
                fmt::format("sample {} of the {} split has {} symbols, and model {} learns positions for {} (hparam "
                            "max_length); raise max_length, or give hparam pos=timing, which has no end",
                            sample, name(evaluated), length, settings.model, most),
                Scope::every_rank);
  }
}

void recompute(const TrainSettings& settings, Model& model) {
  if (!settings.recompute || model.recompute()) return;
  throw Error(
      ExitCode::configuration,
      fmt::format("--recompute with model {}, whose layers cannot be computed again in the backward pass, as those "
                  "of transformer and transformer_lm can; leave it out, or take a smaller batch_size",
                  settings.model),
      Scope::every_rank);
}

// Checks that ranks read the same data, which may differ from host to host. COLLECTIVE.
void check_same_data(const TrainingRank& rank, const RunPlan& plan, const Problem& problem, const TrainingData& data,
                     const std::string& summation) {
  if (rank.world.size() > 1) check_agreement(rank.world, data_items(plan, problem, data, summation));
}

// A flag, " --problem=languagemodel_text", of a problem whose data the model can read, if those of the run are of
// another kind.
std::string problem_for(const std::string& model, const TrainSettings& settings, const Registry& registry) {
  if (registry.problems.find(settings.problem).model() == model) return "";
  for (const auto& [name, problem] : registry.problems.entries()) {
    if (problem.listed && problem.entry.model() == model) return " --problem=" + name;
  }
  return "";
}

// Makes the model. If the set is another model's and lacks what this one needs, the message suggests that model.
std::unique_ptr<Model> make_chosen_model(const TrainSettings& settings, const HParams& hparams,
                                         const Registry& registry, const ProblemShape& shape) {
  try {
    return registry.models.find(settings.model)(hparams, shape);
  } catch (const Error& error) {
    const std::string& set = settings.hparams_set;
    if (set.empty() || set == settings.model || !registry.hparams_sets.has(settings.model)) throw;
    const HParams own = hparams_set(registry, settings.model);
    const auto lacking = [&](const auto& hparam) { return !hparams.has(hparam.first); };
    if (std::ranges::none_of(own.values(), lacking)) throw;
    const std::string_view why = error.what();
    if (registry.models.has(set)) {
      throw Error(error.code(), fmt::format("{}, or give --model={}, whose set that is", why, set), error.scope());
    }
    if (const std::string of = model_of_set(registry, set); !of.empty()) {
      throw Error(error.code(),
                  fmt::format("--hparams_set={} is a set of model {}, not of {}: give --model={}{}", set, of,
                              settings.model, of, problem_for(of, settings, registry)),
                  error.scope());
    }
    if (why.find("--model") != std::string_view::npos) throw;
    throw Error(error.code(),
                fmt::format("{}; --hparams_set={} is not a set of model {}: give the model that it is for with --model",
                            why, set, settings.model),
                error.scope());
  }
}

}  // namespace

ProblemOptions problem_options(const TrainSettings& settings, const HParams& hparams, const Registry& registry) {
  return {.data_dir = settings.data_dir,
          .seed = settings.seed,
          .num_classes = integer_or(0, hparams, "num_classes", 0, kMaxClasses),
          .numbers_meant = predicts_numbers(hparams),
          .normalized = boolean_or(false, hparams, "normalize_inputs"),
          .tokenizer = tokenizer_of(hparams, registry),
          .max_length = max_length_of(hparams),
          .vocab_size = integer_or(0, hparams, "vocab_size", 0, kMaxClasses)};
}

std::unique_ptr<Problem> make_problem(const TrainSettings& settings, const HParams& hparams, const Registry& registry,
                                      const StopSource& stop) {
  ProblemOptions options = problem_options(settings, hparams, registry);
  options.while_reading = stop_while_reading(settings, stop);
  auto problem = registry.problems.find(settings.problem)(options);
  if (!settings.holdout) return problem;
  return std::make_unique<HoldoutProblem>(std::move(problem), *settings.holdout, settings.seed);
}

Schedule::Run schedule_run(const RunPlan& plan) {
  return {.train_steps = plan.train_steps,
          .steps_per_epoch = plan.batches->steps_per_epoch(),
          .global_batch = plan.update_batch,
          .workers = plan.workers};
}

Schedule make_schedule(const HParams& hparams, const RunPlan& plan) { return Schedule(hparams, schedule_run(plan)); }

Workload make_workload(const TrainSettings& settings, const HParams& hparams, const Registry& registry,
                       const TrainingRank& rank, const BatchCursor& from, const std::string& summation) {
  // All ranks wait for the slowest reader in here, on whichever host it is: a long phase for all of them.
  const auto phase = rank.trace.enter(Phase::read);
  auto problem = make_problem(settings, hparams, registry, rank.stop);
  const Split evaluated = evaluated_split(*problem, settings);
  const StrategyKind& strategy = registry.strategies.find(settings.strategy);
  RunPlan plan =
      plan_run(settings, hparams, *problem, rank.compute.rank(), share_owners(rank), from, strategy.update_batch);
  if (rank.served != nullptr) plan.workers = rank.served->ranks.size() - rank.served->servers;
  check_classes(settings, problem_options(settings, hparams, registry), problem->shape());
  TrainingData data = describe_data(settings, *problem, rank.everyone().size());
  check_same_data(rank, plan, *problem, data, summation);
  ProblemShape shape = problem->shape();
  if (boolean_or(false, hparams, "normalize_inputs")) {
    if (!is_normalizable(shape)) {
      make_chosen_model(settings, hparams, registry, shape);  // says so itself if it cannot read such data at all
      refuse_to_normalize(shape);
    }
    const InputStatistics statistics = measure_inputs(rank.compute, *problem);
    shape.normalised = true;
    shape.input_mean = statistics.mean;
    shape.input_stddev = statistics.stddev;
  }
  std::unique_ptr<Augmentation> augmentation;
  if (const auto changes = augmentation_options(hparams, settings.seed); changes.any()) {
    augmentation = std::make_unique<Augmentation>(shape, changes);
  }
  auto model = make_chosen_model(settings, hparams, registry, shape);
  recompute(settings, *model);
  check_lengths(settings, *model, *problem, evaluated);
  check_agreement(rank.world, model_items(settings.model, model->table()));
  return {.problem = std::move(problem),
          .data = std::move(data),
          .evaluated = evaluated,
          .shape = shape,
          .plan = plan,
          .augmentation = std::move(augmentation),
          .model = std::move(model)};
}

Workload make_workload_alone(const TrainSettings& settings, const HParams& hparams, const Registry& registry,
                             int ranks) {
  auto problem = make_problem(settings, hparams, registry);
  const Split evaluated = evaluated_split(*problem, settings);
  const std::vector<bool> all_compute(static_cast<std::size_t>(ranks), true);
  RunPlan plan = plan_run(settings, hparams, *problem, 0, all_compute, {},
                          registry.strategies.find(settings.strategy).update_batch);
  ProblemShape shape = problem->shape();
  shape.normalised = boolean_or(false, hparams, "normalize_inputs");
  auto model = make_chosen_model(settings, hparams, registry, shape);
  recompute(settings, *model);
  return {.problem = std::move(problem),
          .data = {},
          .evaluated = evaluated,
          .shape = std::move(shape),
          .plan = std::move(plan),
          .augmentation = nullptr,
          .model = std::move(model)};
}

std::int64_t samples_of_evaluation(const TrainSettings& settings, const HParams& hparams, const Workload& workload) {
  if (!schedule_kind(settings.schedule).evaluates) return 0;
  return evaluated_samples(settings, hparams, *workload.problem, workload.evaluated);
}

}  // namespace lockstep

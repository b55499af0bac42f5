#include "train/saved/saved_model.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "base/json.h"
#include "base/printable.h"
#include "checkpoint/find_checkpoint.h"
#include "checkpoint/format.h"
#include "checkpoint/shape_json.h"
#include "data/holdout_problem.h"
#include "train/config/agreement.h"
#include "train/config/data_digest.h"
#include "train/config/pace.h"
#include "train/config/result_config.h"
#include "train/config/train_setting.h"
#include "train/registry/hparams_sets.h"
#include "train/saved/check_known.h"
#include "train/saved/data_of_run.h"
#include "train/saved/saved_vocabulary.h"
#include "train/strategy/host_arrays.h"
#include "train/workload/stop_while_reading.h"
#include "train/workload/workload.h"

namespace lockstep {
namespace {

[[noreturn]] void refuse(const OpenedCheckpoint& from, const std::string& why) {
  throw Error(ExitCode::configuration, fmt::format("'{}' {}", from.file, why), Scope::every_rank);
}

// The share of the training split that the run held out; none if it did not.
std::optional<double> holdout_of(const OpenedCheckpoint& from) {
  const TrainSetting& holdout = train_setting("holdout");
  TrainSettings run;
  try {
    for (const ConfigItem& item : saved_config(from.header.config).items) {
      if (item.name == holdout.name) assign(holdout, item.value, run);
    }
  } catch (const JsonError& why) {
    throw Error(ExitCode::bad_data,
                fmt::format("'{}': its attribute {} cannot be read: {}", from.file, kConfigAttribute, why.what()),
                Scope::every_rank);
  }
  return run.holdout;
}

// Makes the run's holdout the dev split of these data. With another one, samples that were trained on would be
// evaluated.
void take_holdout(TrainSettings& settings, const OpenedCheckpoint& from) {
  if (settings.problem != from.header.problem) return;
  const std::optional<double> of_run = holdout_of(from);
  if (is_given(settings, "holdout") && settings.holdout != of_run) {
    refuse(from, fmt::format("is of a run {}, not with --holdout={}; leave that out",
                             of_run ? fmt::format("with --holdout={}", *of_run) : "without --holdout",
                             settings.holdout.value_or(0)));
  }
  settings.holdout = of_run;
  if (of_run && settings.seed != from.header.seed) {
    refuse(from, fmt::format("is of a run whose --random_seed={} has decided what was held out, not {}; leave that out",
                             from.header.seed, settings.seed));
  }
}

TrainSettings settings_for(TrainSettings settings, const OpenedCheckpoint& from, const Registry& registry) {
  if (!is_given(settings, "model")) settings.model = from.header.model;
  if (!is_given(settings, "problem")) settings.problem = from.header.problem;
  if (!is_given(settings, "random_seed")) settings.seed = from.header.seed;
  if (settings.model != from.header.model) {
    refuse(from, fmt::format("is a checkpoint of model {}, not of --model={}; leave that out",
                             escaped(from.header.model), settings.model));
  }
  check_known(registry.models, from.header.model, from.file);
  if (!is_given(settings, "problem")) check_known(registry.problems, from.header.problem, from.file);
  take_holdout(settings, from);
  return settings;
}

// Adds the run's --data_dir, if the user gave none and uses the run's problem. COLLECTIVE.
TrainSettings with_data_of_run(TrainSettings settings, const OpenedCheckpoint& from, const TrainingRank& rank) {
  RunData data =
      rank.is_chief() && !is_given(settings, "data_dir") ? data_of_run(from, settings.output_dir) : RunData{};
  broadcast_text(rank.world, data.data_dir, 0);
  if (data.data_dir.empty() || is_given(settings, "data_dir") || settings.problem != from.header.problem) {
    return settings;
  }
  settings.data_dir = data.data_dir;
  rank.log.info("--data_dir={}, as {} says", escaped(data.data_dir), escaped(data.config));
  return settings;
}

// The shape that the checkpoint has, with the digest of its tokenizer: a file may have the members of the vocabulary in
// another order. Files of older versions have no shape, and are refused; so is a model that predicts other classes than
// the tokenizer's symbols, whose texts are looked up by the number of a class.
ProblemShape shape_of(const OpenedCheckpoint& from, const Tokenizer* tokenizer) {
  if (!from.header.shape.empty()) {
    ProblemShape shape = shape_from_json(from.header.shape);
    if (tokenizer == nullptr) return shape;
    if (tokenizer->size() != shape.outputs) {
      throw Error(
          ExitCode::bad_data,
          fmt::format("'{}': its vocabulary has {} symbols, and its model predicts one of {}; it is damaged, or "
                      "was put together by hand",
                      from.file, tokenizer->size(), shape.outputs),
          Scope::every_rank);
    }
    shape.vocabulary_digest = tokenizer->digest();
    return shape;
  }
  refuse(from,
         "does not say the shape of its inputs, as one of an older version; resume its training for a step, "
         "which saves one that does");
}

bool takes_average(const TrainSettings& settings, const OpenedCheckpoint& from) {
  if (settings.weights == "ema" && !from.has_average) {
    refuse(from, "holds no moving average of the weights for --weights=ema; its run had no --ema");
  }
  return from.has_average && settings.weights != "plain";
}

}  // namespace

OpenedCheckpoint open_saved(const TrainSettings& settings, const TrainingRank& rank) {
  const auto phase = rank.trace.enter(Phase::read);
  std::unique_ptr<CheckpointDecoder> reader;
  if (rank.is_chief()) {
    const std::string& path = settings.checkpoint_path.empty() ? settings.output_dir : settings.checkpoint_path;
    reader = std::make_unique<CheckpointDecoder>(find_checkpoint(path));
  }
  OpenedCheckpoint opened;
  share_checkpoint(rank.world, std::move(reader), opened);
  return opened;
}

SavedModel::SavedModel(const TrainSettings& asked, const Registry& registry, const TrainingRank& rank,
                       OpenedCheckpoint from)
    : registry_(registry),
      rank_(rank),
      settings_(with_data_of_run(settings_for(asked, from, registry), from, rank)),
      hparams_(saved_hparams(settings_, from.header.hparams, registry)),
      tokenizer_(saved_tokenizer(from.file, from.header, registry.tokenizers)),
      shape_(shape_of(from, tokenizer_.get())),
      model_(registry.models.find(settings_.model)(hparams_, shape_)),
      parameters_(std::make_unique<ParameterStore>(model_->table(), rank.backend.allocator(), DType::float32)) {
  parameters_->set_product_dtype(rank.backend, choose_products(settings_, rank.backend));
  check_agreement(rank.world, job_items(settings_, hparams_));
  check_agreement(rank.world, model_items(settings_.model, model_->table()));
  load(std::move(from));
}

void SavedModel::load(OpenedCheckpoint from) {
  const auto phase = rank_.trace.enter(Phase::read);
  averaged_ = takes_average(settings_, from);
  const bool chief = from.reader != nullptr;
  StateArrays arrays;
  if (chief) {
    arrays = from.reader->read({.table = &model_->table(), .average = averaged_, .model = settings_.model});
    from.reader.reset();
  }
  std::vector<float>& values = averaged_ ? arrays.average : arrays.parameters;
  broadcast_array(rank_.compute, rank_.backend, chief ? &values : nullptr, parameters_->values());
  parameters_->update_copy(rank_.backend);
  checkpoint_ = std::move(from);
}

bool SavedModel::differs_in_weights_alone(const OpenedCheckpoint& other) const {
  const CheckpointHeader& mine = checkpoint_.header;
  const CheckpointHeader& there = other.header;
  return there.model == mine.model && there.problem == mine.problem && there.shape == mine.shape &&
         there.hparams == mine.hparams && there.seed == mine.seed && holdout_of(other) == holdout_of(checkpoint_);
}

// The problem with that split of the data. After a run with --holdout, a dev split in the data is not the one to use.
std::unique_ptr<Problem> SavedModel::make_problem(Split only, Targets targets) const {
  ProblemOptions options = problem_options(settings_, hparams_, registry_);
  options.only = only;
  options.known = shape_;
  options.known_tokenizer = tokenizer_;
  options.while_reading = stop_while_reading(settings_, rank_.stop);
  options.needs_targets = targets == Targets::needed;
  options.dev_is_held_out = settings_.holdout.has_value();
  try {
    return registry_.problems.find(settings_.problem)(options);
  } catch (const Error& error) {
    if (!settings_.holdout || error.code() != ExitCode::missing_input) throw;
    throw Error(error.code(),
                fmt::format("{}; '{}' is of a run with --holdout={}, whose dev split is a share of its train split: "
                            "without the train split there is none. Other samples are evaluated as the test split, "
                            "with --eval_split=test",
                            error.what(), checkpoint_.file, *settings_.holdout),
                error.scope());
  }
}

std::unique_ptr<Problem> SavedModel::open_split(Split split, Targets targets) const {
  const auto phase = rank_.trace.enter(Phase::read);
  const bool of_train = settings_.holdout && split != Split::test;  // the training split, or the part held out of it
  auto problem = make_problem(of_train ? Split::train : split, targets);
  if (of_train) problem = std::make_unique<HoldoutProblem>(std::move(problem), *settings_.holdout, settings_.seed);
  if (problem->count(split) == 0) {
    throw Error(
        ExitCode::missing_input,
        fmt::format("problem {} has no {} split; --eval_split=SPLIT names another one", settings_.problem, name(split)),
        Scope::every_rank);
  }
  ProblemShape shape = problem->shape();
  shape.normalised = shape_.normalised;
  const std::string there = shape_to_json(shape);
  ProblemShape made_for = shape_;
  if (shape.vocabulary_digest.empty()) {  // numbers that stand for no text, so they are no characters either
    made_for.vocabulary_digest.clear();
    made_for.characters = shape.characters;
  }
  const std::string mine = shape_to_json(made_for);
  if (there != mine) {
    throw Error(ExitCode::bad_data,
                fmt::format("the {} split of problem {} has inputs and targets of {}, and '{}' was made for {}; give "
                            "data of that shape",
                            name(split), settings_.problem, there, checkpoint_.file, mine),
                Scope::every_rank);
  }
  check_same_samples(*problem, split);
  if (rank_.is_chief()) {  // every rank finds the same
    for (const std::string& remark : problem->remarks()) rank_.log.warning("{}", remark);
    for (const std::string& note : problem->notes()) rank_.log.info("{}", note);
  }
  return problem;
}

// Each rank reads for itself, and hosts may hold other files under the same names. Generated samples are the same
// everywhere. COLLECTIVE.
void SavedModel::check_same_samples(const Problem& problem, Split split) const {
  if (rank_.world.size() == 1 || settings_.data_dir.empty()) return;
  const std::string samples = fmt::format("{} samples", name(split));
  const std::vector<AgreedItem> items{{"number of " + samples, std::to_string(problem.count(split))},
                                      {"the checksum of the " + samples, data_checksum(problem, split)}};
  check_agreement(rank_.world, items);
}

OpenedSplit open_eval_split(const SavedModel& saved, SavedModel::Targets targets) {
  const TrainSettings& settings = saved.settings();
  const auto open = [&](Split split) {
    return OpenedSplit{.split = split, .problem = saved.open_split(split, targets)};
  };
  for (const Split split : {Split::dev, Split::test, Split::train}) {
    if (settings.eval_split == name(split)) return open(split);
  }
  if (settings.eval_use_test_set) return open(Split::test);
  try {
    return open(Split::dev);
  } catch (const Error& error) {
    if (error.code() != ExitCode::missing_input) throw;
    return open(Split::test);
  }
}

std::string describe(const SavedModel& saved, const OpenedSplit& on) {
  const TrainSettings& settings = saved.settings();
  const bool held_out = settings.holdout && on.split == Split::dev;
  const std::int64_t there = on.problem->count(on.split);
  const std::int64_t taken = evaluated_samples(settings, saved.hparams(), *on.problem, on.split);
  return fmt::format("{}: model {}, {} split of problem {}, {}{} samples{}", saved.checkpoint().file, settings.model,
                     name(on.split), settings.problem, taken < there ? fmt::format("the first {} of ", taken) : "",
                     there,
                     held_out ? fmt::format(" (of its train split, held out by --holdout={})", *settings.holdout) : "");
}

}  // namespace lockstep

#pragma once

#include <memory>

#include "base/hparams.h"
#include "data/problem.h"
#include "model/model.h"
#include "model/parameter_store.h"
#include "train/config/settings.h"
#include "train/config/training_rank.h"
#include "train/registry/registry.h"
#include "train/saved/opened_checkpoint.h"

namespace lockstep {

// Opens the checkpoint that --checkpoint_path names, a file or a folder with checkpoints, else the newest of
// --output_dir. COLLECTIVE. Throws Error, on the chief: missing_input if there is none, and what CheckpointDecoder
// throws.
OpenedCheckpoint open_saved(const TrainSettings& settings, const TrainingRank& rank);

// A model as a checkpoint holds it, on every rank: made from the checkpoint alone, without the data it was trained on.
// Model and shape are the checkpoint's; problem, hparams and seed too, unless the user gave others. Main thread. The
// registry and the rank are the caller's and outlive it.
class SavedModel {
 public:
  // COLLECTIVE. Throws Error: configuration if the checkpoint does not fit what the user gave (model, hparams,
  // --holdout, --weights, --usr_lib) or ranks differ, usage for mistakes in hparams, bad_data if its model predicts
  // other classes than the symbols of its vocabulary, and what CheckpointDecoder::read() and saved_tokenizer() throw.
  SavedModel(const TrainSettings& asked, const Registry& registry, const TrainingRank& rank, OpenedCheckpoint from);

  // Returns whether a model made from the other checkpoint would be this one with other weights, and have the same
  // splits. A resumed run may have changed the rest: hparams, seed, the samples held out.
  bool differs_in_weights_alone(const OpenedCheckpoint& other) const;
  // Takes the weights of another checkpoint. REQUIRES: differs_in_weights_alone(from). COLLECTIVE. Throws
  // Error(configuration) if it lacks the weights that --weights names, and what CheckpointDecoder::read() throws.
  void load(OpenedCheckpoint from);

  // The checkpoint of these weights; closed.
  const OpenedCheckpoint& checkpoint() const { return checkpoint_; }
  // The settings as given, with what the checkpoint says.
  const TrainSettings& settings() const { return settings_; }
  const HParams& hparams() const { return hparams_; }
  const TokenizerPointer& tokenizer() const { return tokenizer_; }  // nullptr if it has none
  const ProblemShape& shape() const { return shape_; }
  Model& model() { return *model_; }
  const ParameterStore& parameters() const { return *parameters_; }
  bool averaged() const { return averaged_; }  // the weights are the moving average
  const char* kind_of_weights() const { return averaged_ ? "ema" : "plain"; }

  // Opens the problem's split, and no other: samples of the shape that the model was made for. COLLECTIVE. Throws
  // Error(missing_input) if it is not there, Error(bad_data) if it is of another shape, Error(configuration) if ranks
  // have read other samples.
  enum class Targets { needed, not_needed };
  std::unique_ptr<Problem> open_split(Split split, Targets targets = Targets::needed) const;

 private:
  std::unique_ptr<Problem> make_problem(Split only, Targets targets) const;
  void check_same_samples(const Problem& problem, Split split) const;

  const Registry& registry_;
  const TrainingRank& rank_;
  OpenedCheckpoint checkpoint_;
  TrainSettings settings_;
  HParams hparams_;
  TokenizerPointer tokenizer_;
  ProblemShape shape_;
  std::unique_ptr<Model> model_;
  std::unique_ptr<ParameterStore> parameters_;
  bool averaged_ = false;
};

// The split to evaluate, opened: the one that --eval_split names, else the test split with --eval_use_test_set, else
// dev if there is one, else test. COLLECTIVE. Throws as SavedModel::open_split() does.
struct OpenedSplit {
  Split split = Split::test;
  std::unique_ptr<Problem> problem{};
};
OpenedSplit open_eval_split(const SavedModel& saved, SavedModel::Targets targets = SavedModel::Targets::needed);

// A line for the log: "RUN/model.ckpt-20.h5: model mlp, dev split of problem arrays, the first 100 of 400 samples", and
// whether they are a --holdout.
std::string describe(const SavedModel& saved, const OpenedSplit& on);

}  // namespace lockstep

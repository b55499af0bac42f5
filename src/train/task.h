#pragma once

#include <memory>

#include "base/hparams.h"
#include "data/augmentation.h"
#include "data/problem.h"
#include "model/model.h"
#include "optim/schedule.h"
#include "train/registry.h"
#include "train/run_plan.h"
#include "train/settings.h"
#include "train/training_rank.h"

namespace lockstep {

// What a run trains: the data, how they are cut, and the model made for them.
struct Task {
  std::unique_ptr<Problem> problem;
  ProblemShape shape;  // the problem's, with the training split's mean and deviation if hparam normalize_inputs asks
  RunPlan plan;
  std::unique_ptr<Augmentation> augmentation;  // of hparams augment_shift and augment_flip; null if they ask for none
  std::unique_ptr<Model> model;
};

// Reads the data, plans the run (from there on), makes the model, and makes sure that all ranks came to the same.
// COLLECTIVE.
Task make_task(const TrainSettings& settings, const HParams& hparams, const Registry& registry,
               const TrainingRank& rank, const ShardPlan::Cursor& from = {});

// The parts of it that need no other rank.
ProblemOptions problem_options(const TrainSettings& settings, const HParams& hparams);
Schedule make_schedule(const HParams& hparams, const RunPlan& plan);

}  // namespace lockstep

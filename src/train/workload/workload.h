#pragma once

#include <memory>

#include "base/hparams.h"
#include "data/augmentation.h"
#include "data/problem.h"
#include "model/model.h"
#include "optim/schedule.h"
#include "train/config/result_config.h"
#include "train/config/run_plan.h"
#include "train/config/settings.h"
#include "train/config/training_rank.h"
#include "train/registry/registry.h"

namespace lockstep {

// The data of a run, the plan that cuts them, and the model made for them.
struct Workload {
  std::unique_ptr<Problem> problem;
  TrainingData data;
  Split evaluated = Split::dev;  // the split that is evaluated (config/eval_split.h)
  ProblemShape shape;  // the problem's, with its train split's mean and stddev if hparam normalize_inputs asks
  RunPlan plan;
  std::unique_ptr<Augmentation> augmentation;  // from hparams augment_shift and augment_flip; null if they ask for none
  std::unique_ptr<Model> model;
};

// Reads the data, plans the run from `from` on, makes the model, and checks that all ranks have the same. summation:
// how gradients are summed (config_items()). COLLECTIVE.
Workload make_workload(const TrainSettings& settings, const HParams& hparams, const Registry& registry,
                       const TrainingRank& rank, const BatchCursor& from = {}, const std::string& summation = "");

// The workload of the first of `ranks` ranks that all compute, made without the others: for questions about a run
// before there is one. Normalised inputs have no mean yet.
Workload make_workload_alone(const TrainSettings& settings, const HParams& hparams, const Registry& registry,
                             int ranks);

// The number of samples that an evaluation of a training run takes; 0: there are none.
std::int64_t samples_of_evaluation(const TrainSettings& settings, const HParams& hparams, const Workload& workload);

// The parts that need no other rank.
// The problem, with a share of its training split held out if --holdout says so. stop: ends the reading of a text.
std::unique_ptr<Problem> make_problem(const TrainSettings& settings, const HParams& hparams, const Registry& registry,
                                      const StopSource& stop = {});
ProblemOptions problem_options(const TrainSettings& settings, const HParams& hparams, const Registry& registry);
Schedule::Run schedule_run(const RunPlan& plan);
Schedule make_schedule(const HParams& hparams, const RunPlan& plan);

}  // namespace lockstep

#pragma once

#include "base/hparams.h"
#include "optim/schedule.h"
#include "train/resume.h"
#include "train/settings.h"
#include "train/task.h"
#include "train/training_rank.h"

namespace lockstep {

// The lines at the start of a run: data, model, batch, strategy, and what was asked for that cannot be given.
void describe_run(const TrainSettings& settings, const HParams& hparams, const Task& task, const Schedule& schedule,
                  const TrainingRank& rank);

// Where a resumed run goes on, and from what; how often it saves, and what that takes.
void describe_resumption(const Resumption& from, const RunPlan& plan, Log& log);
void describe_saving(const TrainSettings& settings, const TrainingState& state, Log& log);

// What --print_schedule prints: the learning rate of a run on so many ranks. Reads the data, to know how many there
// are.
std::string describe_schedule(const TrainSettings& settings, const Registry& registry, int ranks);

}  // namespace lockstep

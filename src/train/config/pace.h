#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/hparams.h"
#include "data/problem.h"
#include "optim/schedule.h"
#include "train/config/run_plan.h"
#include "train/config/settings.h"

namespace lockstep {

// The pace at which a run goes through its data, which depends on the number of its ranks unless --global_batch_size is
// given.
struct Pace {
  std::int64_t next_step = 1;
  std::int64_t global_batch = 1;
  std::int64_t steps_per_epoch = 1;
  std::int64_t train_steps = 1;
  double learning_rate = 0;  // learning rate of the next step
};

// The pace at the step where the plan begins.
Pace pace_of(const RunPlan& plan, const Schedule& schedule);

// The differences, for a log line: "global batch 384 -> 256, steps per epoch 21 -> 32, ..."; "" if there are none.
std::string describe_changes(const Pace& before, const Pace& now);

// Steps between the evaluations of a run of train_steps steps; 0: one at the end. A setting below 100 counts as 100.
// former: the interval of the previous start, which a run without the setting keeps; none: there was no start. Without
// both, a tenth of the run, rounded to hundreds, from 100 to 1000.
std::int64_t eval_interval(const TrainSettings& settings, std::int64_t train_steps,
                           std::optional<std::int64_t> former = {});

// A log line if an --local_eval_frequency below the minimum is raised to it; else "".
std::string describe_raised_frequency(const TrainSettings& settings);

// The number of samples that an evaluation takes, the first ones of the split: all, or as many as --eval_steps batches
// of one rank have, whatever the number of ranks; of sequences, those that fit into as many tokens, and at least one.
// Throws Error(usage) of every rank for hparam batch_size out of range.
std::int64_t evaluated_samples(const TrainSettings& settings, const HParams& hparams, const Problem& problem,
                               Split split);

}  // namespace lockstep

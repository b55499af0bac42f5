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

// How fast a run goes through its data, which depends on the number of its ranks unless --global_batch_size is given.
struct Pace {
  std::int64_t next_step = 1;
  std::int64_t global_batch = 1;
  std::int64_t steps_per_epoch = 1;
  std::int64_t train_steps = 1;
  double learning_rate = 0;  // of the next step
};

// At the step where the plan begins.
Pace pace_of(const RunPlan& plan, const Schedule& schedule);

// What differs, for a log line: "global batch 384 -> 256, steps per epoch 21 -> 32, ..."; "" if nothing does.
std::string describe_changes(const Pace& before, const Pace& now);

// Steps between the evaluations of a run of so many steps, 0: one at the end. former: of the start before it, which
// keeps them in a longer run; none: there was none. Else a run of fewer than 10,000 steps has about ten.
std::int64_t eval_interval(const TrainSettings& settings, std::int64_t train_steps,
                           std::optional<std::int64_t> former = {});

// "" unless an --local_eval_frequency below the least is raised to it: a log line that says so.
std::string describe_raised_frequency(const TrainSettings& settings);

// How many samples of a split an evaluation takes, the first ones: --eval_steps counts batches of one rank, whatever
// the number of ranks; of sequences, those that as many tokens reach, and at least one.
std::int64_t evaluated_samples(const TrainSettings& settings, const HParams& hparams, const Problem& problem,
                               Split split);

}  // namespace lockstep

#pragma once

#include "train/config/settings/step_numbers.h"
#include "train/config/train_setting.h"

namespace lockstep {

inline constexpr Work kEvaluating[] = {Work::train, Work::evaluate, Work::follow, Work::test};

inline constexpr TrainSetting kHowLongSettings[] = {
    {.name = "train_steps",
     .placeholder = "STEPS",
     .help = "Stop after this step (default: what the hparams set says)",
     .field = &TrainSettings::train_steps,
     .least = 1,
     .most = kMaxStepNumber},
    {.name = "train_epochs",
     .placeholder = "EPOCHS",
     .help = "Stop after this many passes over the training split; with --train_steps, whichever comes first",
     .field = &TrainSettings::train_epochs,
     .least = 1,
     .most = kMaxStepNumber,
     .first_counts = true,
     .instead_of = "train_steps",
     .both_say = "how long to train"},
    {.name = "local_eval_frequency",
     .placeholder = "STEPS",
     .help = "Evaluate every this many steps (less than 100 counts as 100), and at the end; 0 = only at the end. By "
             "default a run of fewer than 10,000 steps is evaluated about ten times",
     .field = &TrainSettings::eval_frequency,
     .most = kMaxStepNumber,
     .if_unset = "1000",
     .t2t_default = "1000"},
    {.name = "eval_steps",
     .placeholder = "STEPS",
     .help =
         "Evaluate only this many batches (of hparam batch_size), the first of the split (default: the whole split)",
     .field = &TrainSettings::eval_steps,
     .least = 1,
     .most = kMaxStepNumber,
     .of_works = kEvaluating,
     .t2t_default = "100"},
    {.seldom = true,
     .name = "eval_use_test_set",
     .help = "Evaluate on the test split, not on dev",
     .field = &TrainSettings::eval_use_test_set,
     .instead_of = "eval_split",
     .both_say = "which split to evaluate",
     .t2t_default = "false"},
    {.name = "early_stop",
     .placeholder = "N",
     .help = "Patience: end, with code 0, after N evaluations in a row without improvement of the metric of "
             "--keep_best, or else of the loss",
     .field = &TrainSettings::early_stop,
     .least = 1,
     .most = kMaxStepNumber},
    {.name = "stop_after",
     .placeholder = "TIME",
     .help = "Save and exit with code 75 before this much time has passed since the start (90s, 30m, 1h30m, "
             "HH:MM:SS); give a little less than the job's time limit",
     .field = &TrainSettings::stop_after,
     .least = 1,
     .kept = Kept::for_one_start},
    {.name = "random_seed",
     .placeholder = "N",
     .help = "Seed of initial values, shuffling, dropout and generated data; the number of ranks does not change them",
     .field = &TrainSettings::seed,
     .decides = Decides::result},
};

}  // namespace lockstep

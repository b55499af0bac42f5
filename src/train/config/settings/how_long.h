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
     .help = "Evaluate every this many steps (at least 100), and at the end; 0 = only at the end (default: a tenth of "
             "the run, 100 to 1000 steps)",
     .field = &TrainSettings::eval_frequency,
     .most = kMaxStepNumber,
     .if_unset = "1000",
     .t2t_default = "1000"},
    {.name = "eval_steps",
     .placeholder = "N",
     .help = "Evaluate only the first N batches of the split, each of hparam batch_size (default: the whole split)",
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
     .help = "Stop before this much time has passed since the start (90s, 30m, 1h30m, HH:MM:SS): with --output_dir "
             "save and exit with 75, without it exit with 0. Give a little less than the job's time limit",
     .field = &TrainSettings::stop_after,
     .least = 1,
     .kept = Kept::for_one_start},
    {.name = "random_seed",
     .placeholder = "N",
     .help =
         "Seed of initial values, shuffling, dropout and generated data; these do not depend on the number of ranks",
     .field = &TrainSettings::seed,
     .decides = Decides::result},
};

}  // namespace lockstep

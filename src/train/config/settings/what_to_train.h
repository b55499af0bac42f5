#pragma once

#include "train/config/train_setting.h"

namespace lockstep {

inline constexpr TrainSetting kWhatToTrainSettings[] = {
    {.name = "schedule",
     .placeholder = "NAME",
     .help = "What to do: train, evaluate, predict and others, listed below",
     .field = &TrainSettings::schedule,
     .choices = kScheduleNames,
     .hint = instead_of_schedule,
     .kept = Kept::for_one_start,
     .t2t_default = "continuous_train_and_eval"},
    {.name = "problem",
     .placeholder = "NAME",
     .help = "The data set. image_shapes, algorithmic_* and tiny_algo are generated and need no files; the others read "
             "--data_dir",
     .field = &TrainSettings::problem,
     .decides = Decides::result},
    {.name = "data_dir",
     .placeholder = "DIR",
     .help = "Folder with the problem's files",
     .field = &TrainSettings::data_dir,
     .scope = SettingScope::task},
    {.name = "holdout",
     .placeholder = "SHARE",
     .help = "Hold this share of the training split out of training and evaluate on it, for data without a dev split: "
             "--holdout=0.1",
     .field = &TrainSettings::holdout,
     .number_limit = 1,
     .below_limit = true,  // something has to be left to train on
     .decides = Decides::result},
    {.name = "model",
     .placeholder = "NAME",
     .help = "The network (default: transformer_lm for languagemodel_text, transformer for other problems of "
             "sequences, else mlp)",
     .field = &TrainSettings::model,
     .decides = Decides::result},
    {.name = "hparams_set",
     .placeholder = "NAME",
     .help = "Named set of hyperparameters to start from (default: the model's own)",
     .field = &TrainSettings::hparams_set},
    {.name = "hparams",
     .placeholder = "LIST",
     .help =
         "Changes to that set: --hparams=optimizer=sgd,learning_rate=0.05,hidden_size=256; --hp_NAME=VALUE adds one",
     .field = &TrainSettings::hparams,
     .prefix = "hp_",
     .may_be_empty = true,
     .scope = SettingScope::task},  // the resulting hparams are compared one by one
    {.seldom = true,
     .name = "config",
     .placeholder = "FILE",
     .help = "Read flags from this JSON file, such as the config.json of an --output_dir; the command line wins",
     .scope = SettingScope::task},
    {.seldom = true,
     .name = "usr_lib",
     .placeholder = "FILE",
     .help = "A shared library of your own that adds problems, models, hparams sets, optimizers, strategies and "
             "communicators; "
             "docs/extending.md shows how to write one",
     .field = &TrainSettings::usr_lib,
     .scope = SettingScope::task},
    {.name = "registry_help", .help = "List the names that --problem, --model and similar flags take, and end"},
    {.name = "print_hparams",
     .help = "Print the hyperparameters of this run, and end: on a terminal a table with their meaning, else one line "
             "of JSON"},
    {.seldom = true,
     .name = "print_memory",
     .help = "Print an estimate of the memory that rank 0 of this run needs (parameters, activations, data, ...), "
             "and end"},
    {.seldom = true,
     .name = "print_schedule",
     .help = "Print the learning rate over the steps, as numbers and as a curve, and end"},
};

}  // namespace lockstep

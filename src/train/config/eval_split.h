#pragma once

#include <string>

#include "data/problem.h"
#include "train/config/settings.h"

namespace lockstep {

// The split that a run evaluates: the test split if --eval_use_test_set asks for it; else the dev split, which is a
// held out share of the training split with --holdout; else the test split; if there is neither, Split::dev, which is
// empty. So settings are not chosen by the test split unless there is no other, or the user wants it. Throws
// Error(missing_input) of every rank that says which splits there are, if the test split is asked for and there is
// none. Pure.
Split evaluated_split(const Problem& problem, const TrainSettings& settings);

// A line for the log on that split, or on why nothing is evaluated. Throws as evaluated_split() does.
std::string describe_evaluated_split(const Problem& problem, const TrainSettings& settings);

}  // namespace lockstep

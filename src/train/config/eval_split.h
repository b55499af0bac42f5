#pragma once

#include <string>

#include "data/problem.h"
#include "train/config/settings.h"

namespace lockstep {

// The split that a run evaluates: the test split if --eval_use_test_set asks for it; else the dev split, which is a
// held out share of the training split with --holdout; else, if there is no dev split, the test split. So no choice
// depends on the test split unless there is no other. Throws Error(missing_input) of every rank that says which splits
// there are, if the test split is asked for and there is none. Pure.
Split evaluated_split(const Problem& problem, const TrainSettings& settings);

// The same for people, as a line of the log; also if nothing is evaluated.
std::string describe_evaluated_split(const Problem& problem, const TrainSettings& settings);

}  // namespace lockstep

#pragma once

#include <string>

#include "launch/flags/merge_flags.h"

namespace lockstep {

// Checks that an evaluator has something to evaluate: the checkpoints of its chief, or one that it names itself. chief:
// that of the training world, null if there is none in this job. evaluator: with the flags that hold for it. told_by:
// the source that makes it an evaluator, "TF_CONFIG". Pure. Throws Error of every rank: configuration if the two have
// different folders, usage if there is neither a folder nor a checkpoint.
void check_evaluator(const FlagsOwner* chief, const FlagsOwner& evaluator, const std::string& told_by);

}  // namespace lockstep

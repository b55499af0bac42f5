#pragma once

#include <string>

#include "launch/flags/merge_flags.h"

namespace lockstep {

// Whether an evaluator has something to evaluate: what its chief saves, or a checkpoint that it names itself. chief: of
// the world that trains, null if there is none in this job. evaluator: with the flags that hold for it. told_by: what
// says that it is one, "TF_CONFIG". Pure. Throws Error of every rank: configuration if the two have different folders,
// usage if there is none.
void check_evaluator(const FlagsOwner* chief, const FlagsOwner& evaluator, const std::string& told_by);

}  // namespace lockstep

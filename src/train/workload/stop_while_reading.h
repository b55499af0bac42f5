#pragma once

#include <functional>

#include "train/config/settings.h"
#include "train/config/training_rank.h"

namespace lockstep {

// Returns a function for ProblemOptions::while_reading that throws the Error that ends the job if this process is asked
// to stop. Empty if there is no source of requests, and for an evaluator, which finishes its work first. stop outlives
// it.
std::function<void()> stop_while_reading(const TrainSettings& settings, const StopSource& stop);

}  // namespace lockstep

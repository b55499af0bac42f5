#pragma once

#include <functional>

#include "train/config/settings.h"
#include "train/config/training_rank.h"

namespace lockstep {

// For ProblemOptions::while_reading: throws the Error that ends the job if this process is asked to stop. Empty where
// nobody asks, and for an evaluator, which ends well after what it does. stop outlives it.
std::function<void()> stop_while_reading(const TrainSettings& settings, const StopSource& stop);

}  // namespace lockstep

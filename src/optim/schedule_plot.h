#pragma once

#include <cstdint>
#include <string>

#include "optim/schedule.h"

namespace lockstep {

// The output of --print_schedule: a table of at most 15 steps and their rates (the first, the last and the highest
// among them), then a plot of the curve in plain ASCII, so that it survives any terminal and log file. Ends with a line
// feed. REQUIRES: train_steps >= 1.
std::string schedule_plot(const Schedule& schedule, std::int64_t train_steps);

}  // namespace lockstep

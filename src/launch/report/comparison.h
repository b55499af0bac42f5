#pragma once

#include <span>
#include <string>

#include "launch/report/run.h"

namespace lockstep {

// A table for a terminal, a row a run: its ranks, its steps, the last loss of training, its best evaluation by the
// first metric that it has (model/metric.h) and at which step, the median of samples per second, and the time in
// training. "-" if a run has none. Pure.
std::string comparison_text(std::span<const Run> runs);

}  // namespace lockstep

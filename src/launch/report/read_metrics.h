#pragma once

#include <string>
#include <string_view>

#include "launch/report/run.h"

namespace lockstep {

// Adds what a metrics.jsonl says to a run, and counts the lines that say nothing: the last may be cut off by a kill, or
// be on its way into the file. part: "" of the trainer's own file; of a separate evaluator's the folder it lies in,
// "eval", and only evaluations count. Pure.
void read_metrics(std::string_view text, const std::string& part, Run& run);

}  // namespace lockstep

#pragma once

#include <string>
#include <string_view>

#include "launch/report/run.h"

namespace lockstep {

// Adds the content of a metrics.jsonl to a run, and counts the lines that say nothing: the last may be cut off by a
// kill, or not yet be written completely. part: "" for the trainer's own file; for a separate evaluator's the folder it
// lies in, "eval", of which only evaluations count. Pure.
void read_metrics(std::string_view text, const std::string& part, Run& run);

}  // namespace lockstep

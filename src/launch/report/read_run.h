#pragma once

#include <string>

#include "launch/report/run.h"

namespace lockstep {

// Reads the run of an output_dir: metrics.jsonl, those of separate evaluators below it, and config.json and what
// --eval_details has written if they are there.
// Throws Error: missing_input where there is no metrics.jsonl, bad_data where no run has written it.
Run read_run(const std::string& folder);

}  // namespace lockstep

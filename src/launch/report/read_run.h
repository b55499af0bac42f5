#pragma once

#include <string>

#include "launch/report/run.h"

namespace lockstep {

// Reads the run of an output_dir: metrics.jsonl, those of separate evaluators below it, and if they exist config.json,
// the files of --eval_details, and the beginning of predictions.csv. A damaged file, unless it is the first, is left
// out, with a remark. The run's name is the folder as it was given. Throws Error: missing_input if there is no
// metrics.jsonl, bad_data if no run has written it.
Run read_run(const std::string& folder);

}  // namespace lockstep

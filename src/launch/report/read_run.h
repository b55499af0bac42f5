#pragma once

#include <string>

#include "launch/report/run.h"

namespace lockstep {

// Reads the run of an output_dir: metrics.jsonl, those of separate evaluators below it, and if they are there
// config.json, what --eval_details has written, and the beginning of predictions.csv. Of these, one that is damaged is
// left out, with a remark.
// It is called what the folder was given as. Throws Error: missing_input where there is no metrics.jsonl, bad_data
// where no run has written it.
Run read_run(const std::string& folder);

}  // namespace lockstep

#pragma once

#include <string>

#include "train/config/settings.h"
#include "train/config/training_rank.h"
#include "train/registry/registry.h"
#include "train/schedule/schedule_end.h"

namespace lockstep {

// --schedule=continuous_eval: evaluates each checkpoint that a training run writes into --output_dir, in order and
// once, also over several starts of the evaluator, and waits for the next. Writes OUTPUT_DIR/eval/metrics.jsonl (or
// eval_train/), whose lease it holds, and nothing of the trainer's.
//
// Ends with `done` when the run has finished (or a training in the same job has ended) and its last checkpoint is
// evaluated, when there was no new one for --eval_timeout_mins, or after the evaluation under way if it is asked to
// stop. Ends with `stopped` before the time of --stop_after is up. COLLECTIVE. Throws Error.
ScheduleEnd run_follow(const TrainSettings& settings, const Registry& registry, const TrainingRank& rank);

// The folder that an evaluator of this run writes, and holds the lease of.
std::string evaluator_folder(const TrainSettings& settings);

}  // namespace lockstep

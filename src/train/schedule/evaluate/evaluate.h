#pragma once

#include <cstdint>
#include <string>

#include "base/json.h"
#include "train/config/settings.h"
#include "train/config/training_rank.h"
#include "train/evaluation/evaluation.h"
#include "train/registry/registry.h"
#include "train/saved/saved_model.h"
#include "train/schedule/schedule_end.h"

namespace lockstep {

// --schedule=evaluate: evaluates a checkpoint once, and answers with one line of JSON, which has the numbers to the
// last digit. With --eval_details, details are written and shown too. COLLECTIVE. Throws Error.
ScheduleEnd run_evaluate(const TrainSettings& settings, const Registry& registry, const TrainingRank& rank);

// Evaluates the model on a split, as far as --eval_steps says. COLLECTIVE.
EvaluationResult evaluate_saved(SavedModel& saved, const OpenedSplit& on, const TrainingRank& rank);

// A checkpoint's checksum in a line: "09af31c2", a text, so that it is not drawn as a curve.
std::string checksum_text(std::uint64_t checksum);

// The report of an evaluation: evaluation_line() as JSON of kind eval, log_evaluation() for people.
Json::Object evaluation_line(const SavedModel& saved, Split split, const EvaluationResult& result);
void log_evaluation(const SavedModel& saved, Split split, const EvaluationResult& result, Log& log);

}  // namespace lockstep

#pragma once

#include <string>

#include "base/json.h"
#include "train/saved/evaluation_details.h"

namespace lockstep {

// What details-SPLIT.json says beside the line of the evaluation: of class labels `classes`, `confusion` (a list of
// rows; null beyond Confusion::kMaxMatrixClasses) and `worst`, of numbers to predict `worst`. The worst of sequences
// are symbols, by sample and position. Symbols have their texts beside their numbers. Pure.
Json::Object details_members(const EvaluationDetails& details);

// The same for people, several lines, each with its end: the matrix of up to 20 classes, the table of up to 100. Pure.
std::string details_text(const EvaluationDetails& details);

}  // namespace lockstep

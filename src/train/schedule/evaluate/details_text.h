#pragma once

#include <string>

#include "base/json.h"
#include "train/schedule/evaluate/evaluation_details.h"

namespace lockstep {

// Members of details-SPLIT.json besides those of the evaluation's line: for class labels `classes`, `confusion` (a list
// of rows; null beyond Confusion::kMaxMatrixClasses) and `worst`; for numbers to predict `worst`. The worst of
// sequences are symbols, by sample and position. Symbols have their texts next to their numbers, pictures a PNG. Pure.
Json::Object details_members(const EvaluationDetails& details);

// The details for people, several lines, each with its line feed: the matrix for up to 20 classes, the table for up to
// 100. Pure.
std::string details_text(const EvaluationDetails& details);

}  // namespace lockstep

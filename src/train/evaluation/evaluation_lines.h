#pragma once

#include <string>

#include "base/json.h"
#include "data/problem.h"
#include "train/evaluation/evaluation.h"

namespace lockstep {

// Text of an evaluation for people: "accuracy 96.43 % (3857 of 4000), top-5 99.83 %, loss 0.10803".
std::string describe(const EvaluationResult& result);

// Text of one value: "accuracy 96.43 %".
std::string brief(const EvaluationResult::Value& value);

// Members of an evaluation's line in metrics.jsonl: split, loss, samples, tokens of sequences, and one for each metric
// and count.
Json::Object members_of(Split split, const EvaluationResult& result);

}  // namespace lockstep

#pragma once

#include <string>

#include "base/json.h"
#include "data/problem.h"
#include "train/evaluation.h"

namespace lockstep {

// An evaluation for people: "accuracy 96.43 % (3857 of 4000), top-5 99.83 %, loss 0.10803".
std::string describe(const EvaluationResult& result);

// One of its values: "accuracy 96.43 %".
std::string brief(const EvaluationResult::Value& value);

// What a line of metrics.jsonl has of it: split, loss, samples, tokens of sequences, and a member for each metric and
// count.
Json::Object members_of(Split split, const EvaluationResult& result);

}  // namespace lockstep

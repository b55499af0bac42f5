#pragma once

#include <string>
#include <string_view>

#include "base/json.h"
#include "tensor/problem_shape.h"

namespace lockstep {

// A checkpoint's attribute `shape`: the problem its model was made for, as one JSON object, so that the model can be
// made again without the training data:
//
//   {"input":[28,28,1],"type":"float32","target":"class_label","outputs":10,"normalised":false}
//
// and "vocabulary" if the inputs are symbols; for sequences also "sample", "characters" and, for a text,
// "vocabulary_sha256", ProblemShape::vocabulary_digest. Mean and standard deviation of normalised inputs are not in it:
// they are constants of the model, among the checkpoint's parameters.
// Pure. docs/checkpoint_format.md has the keys.
std::string shape_to_json(const ProblemShape& shape);

// The inverse of shape_to_json(), without mean and standard deviation; also of the attribute of format version 1, whose
// vocabulary gives the digest. Unknown keys are ignored. Throws JsonError, also for an empty input and for numbers
// beyond 2^31 - 1, including the number of elements of an input.
ProblemShape shape_from_json(std::string_view text);

// The vocabulary in the attribute of format version 1, an object "symbols", as JSON in one line; "" if it has none.
// Throws JsonError if it is no object.
std::string vocabulary_in_shape(const Json& json);

}  // namespace lockstep

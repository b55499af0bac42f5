#pragma once

#include <string>

#include "tensor/problem_shape.h"

// Checks that data suit an existing model. `where` names them in messages: "'DIR/test.h5', data set inputs".
namespace lockstep {

// Throws Error(bad_data) unless the inputs have the model's shape and type, and no more symbols than it knows.
void check_inputs_fit(const std::string& where, const ProblemShape& data, const ProblemShape& model);

// Throws Error(bad_data) unless the targets are of the model's kind, as many numbers, or no more classes.
void check_targets_fit(const std::string& where, const ProblemShape& data, const ProblemShape& model);

}  // namespace lockstep

#pragma once

#include "data/array_files.h"
#include "tensor/problem_shape.h"

namespace lockstep {

// What the arrays of a split say of a problem; `outputs` is 0 where labels have to be read first, or there are no
// targets. Throws Error(bad_data) that names the array if inputs or targets have another type or shape than a problem
// takes, or they do not have as many samples.
ProblemShape problem_shape_of(const SplitArrays& arrays);

// Throws Error(bad_data) that names both arrays if another split does not fit the training split.
void check_fits(const SplitArrays& other, const SplitArrays& train);

// The same of a split and a model that was made before.
void check_fits(const SplitArrays& arrays, const ProblemShape& model);

}  // namespace lockstep

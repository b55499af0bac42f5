#pragma once

#include "data/arrays/array_files.h"
#include "tensor/problem_shape.h"

namespace lockstep {

// The problem shape that a split's arrays imply; `outputs` is 0 if labels must be read first or there are no targets.
// Throws Error(bad_data) that names the array if inputs or targets have a type or shape that no problem takes, or their
// numbers of samples differ.
ProblemShape problem_shape_of(const SplitArrays& arrays);

// Throws Error(bad_data) that names both arrays if another split does not fit the training split.
void check_fits(const SplitArrays& other, const SplitArrays& train);

// The same for a split and an existing model.
void check_fits(const SplitArrays& arrays, const ProblemShape& model);

}  // namespace lockstep

#pragma once

#include "data/arrays/array_source.h"

namespace lockstep {

// Floats are numbers to predict, and class labels saved as floats would silently become a regression: 0., 1., 2., or
// the one-hot rows that other frameworks ask for. Throws Error(bad_data) that names the array and the cure if all of a
// training split's float targets look so:
//
//   (N), (N, 1)  whole numbers from 0 to at most 999, not all 0, at least two samples for each of them on average
//   (N, K)       a single 1 in each row, else 0
//
// Reads blocks front to back, and stops at the first sample that shows otherwise. REQUIRES: a float type.
void refuse_float_labels(const ArraySource& targets);

}  // namespace lockstep

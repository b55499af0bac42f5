#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "data/arrays/array_source.h"

namespace lockstep {

// The class labels of a split, all of them in memory.
struct Labels {
  std::vector<std::int32_t> values;
  std::int64_t largest_at = 0;  // the sample that has the largest one

  std::int64_t smallest() const { return *std::ranges::min_element(values); }
  std::int64_t largest() const { return values[static_cast<std::size_t>(largest_at)]; }
};

// Reads an array of integers, (N) or (N, 1). Throws Error(bad_data) that names array and sample if a label is negative
// or above 2^31 - 2.
Labels read_labels(const ArraySource& source);

// Throws Error(bad_data) that names the first sample whose label is not in 0 .. classes - 1. smallest: the smallest
// label of all splits, by which the message recognises labels that were counted from 1.
void check_labels(const Labels& labels, const ArrayForm& form, std::int64_t classes, std::int64_t smallest);

// The same for the classes of an existing model.
void check_labels_of_model(const Labels& labels, const ArrayForm& form, std::int64_t classes);

}  // namespace lockstep

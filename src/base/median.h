#pragma once

#include <algorithm>
#include <iterator>
#include <vector>

namespace lockstep {

// Of an even number of values the upper of the two in the middle. REQUIRES: one value at least.
inline double median(std::vector<double> values) {
  const auto middle = values.begin() + std::ssize(values) / 2;
  std::ranges::nth_element(values, middle);
  return *middle;
}

}  // namespace lockstep

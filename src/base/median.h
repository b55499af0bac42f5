#pragma once

#include <algorithm>
#include <iterator>
#include <vector>

namespace lockstep {

// The median; for an even number of values the upper of the middle two. REQUIRES: at least one value.
inline double median(std::vector<double> values) {
  const auto middle = values.begin() + std::ssize(values) / 2;
  std::ranges::nth_element(values, middle);
  return *middle;
}

}  // namespace lockstep

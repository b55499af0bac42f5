#pragma once

#include <array>
#include <cstddef>

#include "data/problem.h"

namespace lockstep {

// A value for each split.
template <class T>
class PerSplit {
 public:
  T& operator[](Split split) { return values_[static_cast<std::size_t>(split)]; }
  const T& operator[](Split split) const { return values_[static_cast<std::size_t>(split)]; }

 private:
  std::array<T, kAllSplits.size()> values_{};
};

}  // namespace lockstep

#pragma once

#include <vector>

#include "tensor/flat_range.h"

namespace lockstep {

// Appends a range to ranges before it in the store; ranges that touch become one.
inline void append(std::vector<FlatRange>& ranges, FlatRange range) {
  if (!ranges.empty() && ranges.back().end == range.begin) {
    ranges.back().end = range.end;
  } else {
    ranges.push_back(range);
  }
}

}  // namespace lockstep

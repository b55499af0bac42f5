#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

namespace lockstep {

// Returns whether ids are the numbers 0 to count - 1, in any order.
inline bool every_sample_once(std::vector<std::int64_t> ids, std::int64_t count) {
  std::ranges::sort(ids);
  std::vector<std::int64_t> all(static_cast<std::size_t>(count));
  std::iota(all.begin(), all.end(), 0);
  return ids == all;
}

}  // namespace lockstep

#pragma once

#include <cstdint>

namespace lockstep {

// Elements [begin, end) of a model's flat store: all that the model, the collectives, the optimizers and the
// checkpoint know of each other.
struct FlatRange {
  std::int64_t begin = 0;
  std::int64_t end = 0;

  std::int64_t count() const { return end - begin; }
  bool empty() const { return begin == end; }
  bool operator==(const FlatRange&) const = default;
};

}  // namespace lockstep

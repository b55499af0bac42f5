#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tensor/flat_range.h"

// Values whose sums over ranks are known. Rank r has r + 1 times a small integer, so W ranks have W (W + 1) / 2 times
// it: without rounding, and modulo 256 in uint8.
namespace lockstep {

template <class T>
T pattern(std::size_t element) {
  return static_cast<T>(element % 97 + 1);
}

template <class T>
std::vector<T> own_values(int rank, std::int64_t count) {
  std::vector<T> values(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<T>(static_cast<T>(rank + 1) * pattern<T>(i));
  return values;
}

// The number of values in the range that are not the sum over so many ranks.
template <class T>
std::int64_t count_wrong(std::span<const T> values, FlatRange range, int ranks) {
  const T factor = static_cast<T>(ranks * (ranks + 1) / 2);
  std::int64_t wrong = 0;
  for (auto i = static_cast<std::size_t>(range.begin); i < static_cast<std::size_t>(range.end); ++i) {
    wrong += values[i] != static_cast<T>(factor * pattern<T>(i)) ? 1 : 0;
  }
  return wrong;
}

// Values whose sums need rounding.
inline std::vector<float> fractions(int rank, std::int64_t count) {
  std::vector<float> values(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = 1.0F / static_cast<float>(i + 3 * static_cast<std::size_t>(rank) + 1);
  }
  return values;
}

}  // namespace lockstep

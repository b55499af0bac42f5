#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "base/random.h"

namespace lockstep {

// One element of one leaf: the sign varies and magnitudes span 12 powers of two, so that a sum in another order has
// other bits.
template <class T>
T leaf_value(int leaf, std::int64_t element) {
  const PhiloxBlock draw =
      philox4x32({static_cast<std::uint32_t>(element), static_cast<std::uint32_t>(leaf), 0, 0}, {});
  const T magnitude = static_cast<T>(1U << (draw[1] % 12U));
  return magnitude * (static_cast<T>(draw[0]) * static_cast<T>(0x1p-31) - 1);
}

// One element of the sum over leaves [begin, end), directly from the definition of the tree.
template <class T>
T tree_sum(int begin, int end, std::int64_t element) {
  if (end - begin == 1) return leaf_value<T>(begin, element);
  const int middle = begin + static_cast<int>(std::bit_floor(static_cast<unsigned>(end - begin - 1)));
  const T left = tree_sum<T>(begin, middle, element);
  return left + tree_sum<T>(middle, end, element);
}

template <class T>
std::vector<T> tree_sums(int leaves, std::int64_t count) {
  std::vector<T> sums;
  for (std::int64_t element = 0; element < count; ++element) sums.push_back(tree_sum<T>(0, leaves, element));
  return sums;
}

}  // namespace lockstep

#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "base/multiversion.h"

namespace lockstep::cpu {

inline constexpr std::int64_t kBlock = 512;  // elements: a few blocks fit the first-level cache

// factor * gradients, a block at a time, each product rounded. The block lies in memory because of that: next to the
// sums of an update the compiler would contract the product into one operation with them, and the bits would not be
// those of gradients that were scaled before.
template <class T>
class ScaledBlock {
 public:
  LS_INLINE explicit ScaledBlock(double factor) : factor_(static_cast<T>(factor)) {}

  // Returns how many of the `left` elements it has taken: all up to kBlock.
  LS_INLINE std::int64_t take(const T* gradients, std::int64_t left) {
    const std::int64_t length = std::min(kBlock, left);
    T* const values = values_.data();
    for (std::int64_t i = 0; i < length; ++i) values[i] = gradients[i] * factor_;
    return length;
  }

  LS_INLINE T operator[](std::int64_t i) const { return values_[static_cast<std::size_t>(i)]; }
  LS_INLINE const T* data() const { return values_.data(); }

 private:
  T factor_;
  std::array<T, kBlock> values_;  // NOLINT(cppcoreguidelines-pro-type-member-init): written before it is read
};

}  // namespace lockstep::cpu

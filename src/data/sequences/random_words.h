#pragma once

#include <cstdint>

#include "base/random.h"

namespace lockstep {

// The words of a random stream in order, for users that take a variable number of them. A plain value.
class RandomWords {
 public:
  explicit RandomWords(const RandomStream& stream) : stream_(stream) {}

  std::uint32_t next() {
    const std::uint32_t place = taken_ % 4;
    if (place == 0) block_ = stream_.block(taken_ / 4);
    ++taken_;
    return block_[place];
  }

  // A whole number in [0, count), with a relative bias below count / 2^32. REQUIRES: count >= 1.
  std::int32_t below(std::int32_t count) {
    return static_cast<std::int32_t>(static_cast<std::uint64_t>(count) * next() >> 32);
  }

 private:
  RandomStream stream_;
  std::uint32_t taken_ = 0;
  PhiloxBlock block_{};
};

}  // namespace lockstep

#pragma once

#include <cstdint>

#include "base/random.h"

namespace lockstep {

// Key of a permutation that is computed place by place and needs no memory. The values decide the bits of every run.
// `stream` and `tweak` distinguish permutations of one purpose and epoch.
struct Permutation {
  static constexpr int kTweakBits = 20;
  static constexpr std::uint16_t kStreams = 8;  // streams of one permutation: the next one's `stream` is as many higher

  std::uint64_t seed = 1;
  Purpose purpose = Purpose::shuffle;
  std::uint32_t epoch = 0;
  std::uint16_t stream = 0;
  std::uint64_t tweak = 0;  // below 2^kTweakBits
};

// The place to which the permutation of `count` places takes `place`. REQUIRES: 0 <= place < count <= 2^40. Any thread.
std::int64_t permute(std::int64_t place, std::int64_t count, const Permutation& permutation);

}  // namespace lockstep

#pragma once

#include <cstddef>
#include <cstdint>

#include "tensor/cpu/tile_packing.h"

namespace lockstep::cpu {

// The start value of a block's sums.
enum class SumsFrom { zero, bias, target };

// A strip of the left matrix and one of the right one for the same k, packed (tile_packing.h).
struct BlockFactors {
  const std::byte* left;
  const std::byte* right;
  std::int64_t steps;  // steps of kTileK k
};

// kBlockSide rows and columns of float32, a part of a matrix with rows of `stride`.
struct BlockTarget {
  float* data;
  std::int64_t stride;
};

constexpr std::int64_t kBlockValues = kBlockSide * kBlockSide;

// target = start value + left * right; bias: kBlockSide values, read if the sums start at it. Meant for the blocks of a
// row, one after the other with the same left strip, which stays in the first cache. REQUIRES: WholeTiles of this
// thread; strips at cache lines.
void multiply_block(const BlockFactors& factors, SumsFrom from, const float* bias, const BlockTarget& target);

// Blocks that go to memory past the caches, each while the next one is computed. As above, but the sums start at zero
// or the bias and rows of targets are at cache lines; targets have their values after finish().
class BlockStream {
 public:
  // sums: memory for 2 * kBlockValues, at a cache line.
  explicit BlockStream(float* sums) : sums_(sums) {}

  void multiply(const BlockFactors& factors, SumsFrom from, const float* bias, const BlockTarget& target);
  void finish();

 private:
  // Unused in builds without tiles.
  [[maybe_unused]] float* sums_;
  [[maybe_unused]] std::int64_t half_ = 0;  // the half for the next block's sums
  [[maybe_unused]] BlockTarget before_{};   // target of the sums in the other half, if any
};

}  // namespace lockstep::cpu

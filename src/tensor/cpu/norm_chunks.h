#pragma once

#include <algorithm>
#include <array>

#include "base/multiversion.h"
#include "tensor/cpu/layer_kernels.h"

// A group of an image is a few channels at every position, so neighbours in memory belong to different groups. All
// sums are therefore taken channel by channel first, side by side over a chunk of channels, which vectorises for any
// size of group; then the channels' sums are folded into their groups in double precision. A chunk and what belongs to
// it lie on the stack.
namespace lockstep::cpu {

inline constexpr std::int64_t kChunk = 512;  // channels side by side: a few arrays of them fit the first-level cache

template <class T>
using Chunk = std::array<T, kChunk>;

// The groups [first, last) of a sample that are worked on together: as many as one chunk holds, or a single one that
// needs several chunks.
struct Block {
  std::int64_t first;
  std::int64_t last;
  std::int64_t width;  // channels of a group

  std::int64_t begin() const { return first * width; }  // channels
  std::int64_t end() const { return last * width; }
};

inline Block block_from(std::int64_t first, const NormShape& shape) {
  const std::int64_t width = shape.channels / shape.groups;
  return {first, std::min(shape.groups, first + std::max<std::int64_t>(1, kChunk / width)), width};
}

// Adds up in a fixed order that vectorises.
template <class T>
LS_INLINE double sum_of(const T* values, std::int64_t count) {
  constexpr std::int64_t kLanes = 8;
  std::array<double, kLanes> lanes{};
  std::int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    for (std::int64_t j = 0; j < kLanes; ++j) lanes[static_cast<std::size_t>(j)] += static_cast<double>(values[i + j]);
  }
  double sum = 0;
  for (double lane : lanes) sum += lane;
  for (; i < count; ++i) sum += static_cast<double>(values[i]);
  return sum;
}

// Adds the sums of channels [begin, begin + count) to those of their groups; totals begin with the block's first.
template <class T>
LS_INLINE void fold(const Chunk<T>& channels, std::int64_t begin, std::int64_t count, const Block& block,
                    Chunk<double>& totals) {
  for (std::int64_t at = begin; at < begin + count;) {
    const std::int64_t group = at / block.width;
    const std::int64_t end = std::min((group + 1) * block.width, begin + count);
    totals[static_cast<std::size_t>(group - block.first)] += sum_of(channels.data() + (at - begin), end - at);
    at = end;
  }
}

// Repeats each group's value for its channels [begin, begin + count); of_group begins with group `first`.
template <class T>
LS_INLINE void spread(const T* of_group, std::int64_t first, std::int64_t begin, std::int64_t count, std::int64_t width,
                      Chunk<T>& channels) {
  for (std::int64_t at = begin; at < begin + count;) {
    const std::int64_t group = at / width;
    const std::int64_t end = std::min((group + 1) * width, begin + count);
    std::fill_n(channels.data() + (at - begin), end - at, of_group[group - first]);
    at = end;
  }
}

}  // namespace lockstep::cpu

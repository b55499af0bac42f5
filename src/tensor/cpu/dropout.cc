#include <algorithm>
#include <array>

#include "tensor/cpu/kernels.h"
#include "tensor/cpu/multiversion.h"

namespace lockstep::cpu {
namespace {

constexpr std::int64_t kLanes = 16;          // Philox blocks side by side, so that the rounds vectorise
constexpr std::int64_t kChunk = 4 * kLanes;  // words they give

// Words [4 * first, 4 * (first + kLanes)) of a stream: the same bits as RandomStream::block gives one by one.
LS_INLINE void draw(const RandomStream& stream, std::int64_t first, std::uint32_t* words) {
  std::array<PhiloxBlock, kLanes> blocks;
  for (std::int64_t i = 0; i < kLanes; ++i) {
    blocks[static_cast<std::size_t>(i)] = stream.block(static_cast<std::uint32_t>(first + i));
  }
  for (std::size_t i = 0; i < static_cast<std::size_t>(kChunk); ++i) words[i] = blocks[i / 4][i % 4];
}

template <class T>
LS_INLINE void dropout_chunks(const RandomStream& stream, std::uint32_t threshold, T keep_scale, const T* x, T* y,
                              std::int64_t count) {
  std::array<std::uint32_t, kChunk> words;
  for (std::int64_t begin = 0; begin < count; begin += kChunk) {
    draw(stream, begin / 4, words.data());
    const std::int64_t length = std::min(kChunk, count - begin);
    for (std::int64_t i = 0; i < length; ++i) {
      y[begin + i] = words[static_cast<std::size_t>(i)] >= threshold ? x[begin + i] * keep_scale : T{0};
    }
  }
}

}  // namespace

LS_MULTIVERSION void dropout_row(const RandomStream& stream, std::uint32_t threshold, double keep_scale, const float* x,
                                 float* y, std::int64_t count) {
  dropout_chunks(stream, threshold, static_cast<float>(keep_scale), x, y, count);
}
void dropout_row(const RandomStream& stream, std::uint32_t threshold, double keep_scale, const double* x, double* y,
                 std::int64_t count) {
  dropout_chunks(stream, threshold, keep_scale, x, y, count);
}

}  // namespace lockstep::cpu

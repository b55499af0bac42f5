#include <algorithm>
#include <array>

#include "base/multiversion.h"
#include "tensor/cpu/generation.h"
#include "tensor/cpu/kernels.h"

namespace lockstep::cpu {
namespace {

constexpr std::int64_t kBlocks = 16;              // of Philox, side by side, so that the rounds overlap
constexpr std::int64_t kChunk = 4 * kBlocks;      // words they give
using Words = std::array<std::uint32_t, kChunk>;  // words [4 * first, 4 * (first + kBlocks)) of a stream

struct Draw {
  LS_INLINE void operator()(const RandomStream& stream, std::int64_t first, Words& words) const {
    std::array<PhiloxBlock, kBlocks> blocks;
    for (std::int64_t i = 0; i < kBlocks; ++i) {
      blocks[static_cast<std::size_t>(i)] = stream.block(static_cast<std::uint32_t>(first + i));
    }
    for (std::size_t i = 0; i < static_cast<std::size_t>(kChunk); ++i) words[i] = blocks[i / 4][i % 4];
  }
};

template <class T, class DrawWords>
LS_INLINE void dropout_chunks(const RandomStream& stream, std::uint32_t threshold, T keep_scale, const T* x, T* y,
                              std::int64_t count, DrawWords draw) {
  Words words;
  for (std::int64_t begin = 0; begin < count; begin += kChunk) {
    draw(stream, begin / 4, words);
    const std::int64_t length = std::min(kChunk, count - begin);
    for (std::int64_t i = 0; i < length; ++i) {
      y[begin + i] = words[static_cast<std::size_t>(i)] >= threshold ? x[begin + i] * keep_scale : T{0};
    }
  }
}

#if defined(__x86_64__) && !defined(__clang__)
namespace v4 {
#pragma GCC push_options
#pragma GCC target("arch=x86-64-v4")

// Philox4x32-10 (base/random.h) on blocks in 64-bit lanes, where AVX-512 multiplies 32 bits by 32 bits in one
// instruction: three times as fast. Only the lower half of a lane counts; the upper one holds remains of products.
using Wide = std::uint64_t __attribute__((vector_size(64)));
constexpr std::int64_t kWideBlocks = 8;
constexpr std::uint64_t kLowerHalf = 0xFFFFFFFFU;

LS_INLINE void draw_wide(const RandomStream& stream, std::int64_t first, std::uint32_t* words) {
  const PhiloxBlock start = stream.counter(static_cast<std::uint32_t>(first));
  PhiloxKey key = stream.key();
  Wide c0 = Wide{0, 1, 2, 3, 4, 5, 6, 7} + std::uint64_t{start[0]};
  Wide c1 = Wide{} + std::uint64_t{start[1]};
  Wide c2 = Wide{} + std::uint64_t{start[2]};
  Wide c3 = Wide{} + std::uint64_t{start[3]};
  for (int round = 0; round < kPhiloxRounds; ++round) {
    const Wide product0 = (c0 & kLowerHalf) * kPhiloxMultipliers[0];
    const Wide product1 = (c2 & kLowerHalf) * kPhiloxMultipliers[1];
    c0 = (product1 >> 32) ^ c1 ^ std::uint64_t{key[0]};
    c1 = product1;
    c2 = (product0 >> 32) ^ c3 ^ std::uint64_t{key[1]};
    c3 = product0;
    key = {key[0] + kPhiloxWeyl[0], key[1] + kPhiloxWeyl[1]};
  }
  const Wide front = (c0 & kLowerHalf) | (c1 << 32);
  const Wide back = (c2 & kLowerHalf) | (c3 << 32);
  const Wide lower = __builtin_shuffle(front, back, Wide{0, 8, 1, 9, 2, 10, 3, 11});
  const Wide upper = __builtin_shuffle(front, back, Wide{4, 12, 5, 13, 6, 14, 7, 15});
  __builtin_memcpy(words, &lower, sizeof(Wide));
  __builtin_memcpy(words + 2 * kWideBlocks, &upper, sizeof(Wide));
}

struct Draw {
  void operator()(const RandomStream& stream, std::int64_t first, Words& words) const {
    for (std::int64_t i = 0; i < kBlocks; i += kWideBlocks) draw_wide(stream, first + i, words.data() + 4 * i);
  }
};

void dropout_row(const RandomStream& stream, std::uint32_t threshold, float keep_scale, const float* x, float* y,
                 std::int64_t count) {
  dropout_chunks(stream, threshold, keep_scale, x, y, count, Draw());
}

#pragma GCC pop_options
}  // namespace v4
#endif

}  // namespace

void dropout_row(const RandomStream& stream, std::uint32_t threshold, double keep_scale, const float* x, float* y,
                 std::int64_t count) {
  const auto scale = static_cast<float>(keep_scale);
#if defined(__x86_64__) && !defined(__clang__)
  if (newest_generation() == Generation::v4) return v4::dropout_row(stream, threshold, scale, x, y, count);
#endif
  dropout_chunks(stream, threshold, scale, x, y, count, Draw());
}
void dropout_row(const RandomStream& stream, std::uint32_t threshold, double keep_scale, const double* x, double* y,
                 std::int64_t count) {
  dropout_chunks(stream, threshold, keep_scale, x, y, count, Draw());
}

}  // namespace lockstep::cpu

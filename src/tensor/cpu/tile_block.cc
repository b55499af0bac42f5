#include "tensor/cpu/tile_block.h"

#include "base/error.h"
#include "base/multiversion.h"

#if defined(__x86_64__) && !defined(__clang__)
#include <immintrin.h>

namespace lockstep::cpu {
namespace {

#pragma GCC push_options
#pragma GCC target("arch=x86-64-v4,amx-tile,amx-bf16")

// Tiles 0 to 3 are the block's, 4 and 5 the left strip's, 6 and 7 the right one's: gcc's names for them are numbers.

LS_INLINE void load_sums(SumsFrom from, const float* bias, const BlockTarget& target) {
  if (from == SumsFrom::zero) {
    _tile_zero(0);
    _tile_zero(1);
    _tile_zero(2);
    _tile_zero(3);
    return;
  }
  // All rows of a tile from the same place if they are the bias.
  const float* const first = from == SumsFrom::bias ? bias : target.data;
  const std::int64_t stride = from == SumsFrom::bias ? 0 : target.stride;
  const float* const below = first + kTileSide * stride;
  _tile_loadd(0, first, stride * 4);
  _tile_loadd(1, first + kTileSide, stride * 4);
  _tile_loadd(2, below, stride * 4);
  _tile_loadd(3, below + kTileSide, stride * 4);
}

LS_INLINE void store_sums(const BlockTarget& target) {
  float* const below = target.data + kTileSide * target.stride;
  _tile_stored(0, target.data, target.stride * 4);
  _tile_stored(1, target.data + kTileSide, target.stride * 4);
  _tile_stored(2, below, target.stride * 4);
  _tile_stored(3, below + kTileSide, target.stride * 4);
}

// TILELOADDT1 takes the right strip through the first cache without driving the left one out.
LS_INLINE void add_step(const std::byte* left, const std::byte* right) {
  _tile_loadd(4, left, 64);
  _tile_stream_loadd(6, right, 64);
  _tile_dpbf16ps(0, 4, 6);
  _tile_stream_loadd(7, right + kTileBytes, 64);
  _tile_dpbf16ps(1, 4, 7);
  _tile_loadd(5, left + kTileBytes, 64);
  _tile_dpbf16ps(2, 5, 6);
  _tile_dpbf16ps(3, 5, 7);
}

LS_INLINE void prefetch_row(const float* row) {
  __builtin_prefetch(row, 1);
  __builtin_prefetch(row + kTileSide, 1);
}

// gcc does not know that a tile's load reads memory.
LS_INLINE void finish_writing() { __asm__ volatile("" ::: "memory"); }

void multiply(const BlockFactors& factors, SumsFrom from, const float* bias, const BlockTarget& target) {
  finish_writing();
  load_sums(from, bias, target);
  const float* next = target.data + kBlockSide;  // the block to the right: two of its rows at each step
  for (std::int64_t step = 0; step < factors.steps; ++step) {
    add_step(factors.left + 2 * step * kTileBytes, factors.right + 2 * step * kTileBytes);
    prefetch_row(next);
    prefetch_row(next + target.stride);
    next += 2 * target.stride;
  }
  store_sums(target);
}

LS_INLINE void stream_row(const float* sums, float* to) {
  _mm512_stream_ps(to, _mm512_load_ps(sums));
  _mm512_stream_ps(to + kTileSide, _mm512_load_ps(sums + kTileSide));
}

void stream_rows(const float* sums, std::int64_t row, const BlockTarget& target) {
  for (; row < kBlockSide; ++row) stream_row(sums + row * kBlockSide, target.data + row * target.stride);
}

// sums (kBlockSide, kBlockSide) = a block. Meanwhile the block before, in sums_before, goes to its place: two rows at
// each step, all others at the end.
void multiply_streaming(const BlockFactors& factors, SumsFrom from, const float* bias, float* sums,
                        const float* sums_before, const BlockTarget& before) {
  finish_writing();
  load_sums(from, bias, {sums, kBlockSide});
  std::int64_t row = 0;
  for (std::int64_t step = 0; step < factors.steps; ++step) {
    add_step(factors.left + 2 * step * kTileBytes, factors.right + 2 * step * kTileBytes);
    if (row == kBlockSide) continue;
    stream_row(sums_before + row * kBlockSide, before.data + row * before.stride);
    stream_row(sums_before + (row + 1) * kBlockSide, before.data + (row + 1) * before.stride);
    row += 2;
  }
  stream_rows(sums_before, row, before);
  store_sums({sums, kBlockSide});
}

#pragma GCC pop_options

}  // namespace

void multiply_block(const BlockFactors& factors, SumsFrom from, const float* bias, const BlockTarget& target) {
  multiply(factors, from, bias, target);
}

void BlockStream::multiply(const BlockFactors& factors, SumsFrom from, const float* bias, const BlockTarget& target) {
  float* const sums = sums_ + half_ * kBlockValues;
  if (before_.data == nullptr) {
    multiply_block(factors, from, bias, {sums, kBlockSide});
  } else {
    multiply_streaming(factors, from, bias, sums, sums_ + (1 - half_) * kBlockValues, before_);
  }
  before_ = target;
  half_ = 1 - half_;
}

void BlockStream::finish() {
  if (before_.data != nullptr) stream_rows(sums_ + (1 - half_) * kBlockValues, 0, before_);
  before_ = {};
  _mm_sfence();
}

}  // namespace lockstep::cpu

#else

namespace lockstep::cpu {

void multiply_block(const BlockFactors&, SumsFrom, const float*, const BlockTarget&) { LS_CHECK(false, "no tiles"); }
void BlockStream::multiply(const BlockFactors&, SumsFrom, const float*, const BlockTarget&) {
  LS_CHECK(false, "no tiles");
}
void BlockStream::finish() {}

}  // namespace lockstep::cpu
#endif

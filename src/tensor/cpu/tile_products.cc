#include "tensor/cpu/tile_products.h"

#include <algorithm>
#include <cstddef>

#include "base/multiversion.h"
#include "tensor/cpu/tile_packing.h"
#include "tensor/cpu/tile_plan.h"
#include "tensor/cpu/tiles.h"

#if defined(__x86_64__) && !defined(__clang__)
#include <immintrin.h>

namespace lockstep::cpu {
namespace {

// What a sum starts at.
enum class SumsFrom { zero, bias, target };

// 2 x 2 tiles of the result.
struct TileBlock {
  float* data;
  std::int64_t stride;  // floats
};

// Lines to bring near while a block is computed, a step's share at each step.
struct Ahead {
  const std::byte* first;
  std::int64_t step_bytes;
  std::int64_t side_bytes;
  int lines;
};

#pragma GCC push_options
#pragma GCC target("arch=x86-64-v4,amx-tile,amx-bf16")

// The compiler does not know that a tile's load reads memory.
LS_INLINE void finish_stores() { __asm__ volatile("" ::: "memory"); }

// block = its start + left (32, k) * right (k, 32), both packed. `right` passes through the first cache without staying
// there, for which TILELOADDT1 is.
__attribute__((noinline)) void multiply(const std::byte* left, const std::byte* right, std::int64_t steps,
                                        SumsFrom from, const float* bias, const TileBlock& block, Ahead ahead) {
  finish_stores();
  float* const below = block.data + kTileSide * block.stride;
  const std::int64_t stride = block.stride * static_cast<std::int64_t>(sizeof(float));
  if (from == SumsFrom::zero) {
    _tile_zero(0);
    _tile_zero(1);
    _tile_zero(2);
    _tile_zero(3);
  } else if (from == SumsFrom::bias) {  // every row of a tile from the same place
    _tile_loadd(0, bias, 0);
    _tile_loadd(1, bias + kTileSide, 0);
    _tile_loadd(2, bias, 0);
    _tile_loadd(3, bias + kTileSide, 0);
  } else {
    _tile_loadd(0, block.data, stride);
    _tile_loadd(1, block.data + kTileSide, stride);
    _tile_loadd(2, below, stride);
    _tile_loadd(3, below + kTileSide, stride);
  }
  for (std::int64_t step = 0; step < steps; ++step) {
    _tile_loadd(4, left, 64);
    _tile_stream_loadd(6, right, 64);
    _tile_dpbf16ps(0, 4, 6);
    _tile_stream_loadd(7, right + kTileBytes, 64);
    _tile_dpbf16ps(1, 4, 7);
    _tile_loadd(5, left + kTileBytes, 64);
    _tile_dpbf16ps(2, 5, 6);
    _tile_dpbf16ps(3, 5, 7);
    left += 2 * kTileBytes;
    right += 2 * kTileBytes;
    for (int line = 0; line < ahead.lines; ++line) _mm_prefetch(ahead.first + line * ahead.side_bytes, _MM_HINT_T1);
    ahead.first += ahead.step_bytes;
  }
  _tile_stored(0, block.data, stride);
  _tile_stored(1, block.data + kTileSide, stride);
  _tile_stored(2, below, stride);
  _tile_stored(3, below + kTileSide, stride);
}

#pragma GCC pop_options

}  // namespace

void TileProducts::run(const ProductForm& form, const BFloat16* a, const BFloat16* b, const float* bias, float* c) {
  const TilePlan plan = tile_plan(form.n, form.k);
  const std::int64_t bias_bytes = rounded_up(form.n, kBlockSide) * 4;
  const std::int64_t total = plan.panel_bytes() + plan.piece_bytes() + 4096 + bias_bytes;
  if (scratch_.bytes() < static_cast<std::size_t>(total))
    scratch_ = allocator_.allocate(static_cast<std::size_t>(total));
  auto* const panel = static_cast<std::byte*>(scratch_.data());
  std::byte* const piece = panel + plan.panel_bytes();
  auto* const edge = reinterpret_cast<float*>(piece + plan.piece_bytes());
  auto* const padded_bias = edge + 1024;
  if (form.has_bias) {
    std::copy_n(bias, form.n, padded_bias);
    std::fill(padded_bias + form.n, padded_bias + rounded_up(form.n, kBlockSide), 0.0F);
  }
  const TileOperand left{a, form.m, form.k, form.a_op == Transpose::no};
  const TileOperand right{b, form.n, form.k, form.b_op == Transpose::yes};
  const TileUse use;
  const std::int64_t k_all = rounded_up(form.k, kTileK);
  const std::int64_t n_all = rounded_up(form.n, kBlockSide);
  for (std::int64_t j0 = 0; j0 < n_all; j0 += plan.panel_n) {
    const std::int64_t j1 = std::min(n_all, j0 + plan.panel_n);
    for (std::int64_t k0 = 0; k0 < k_all; k0 += plan.panel_k) {
      const std::int64_t k1 = std::min(k_all, k0 + plan.panel_k);
      pack_tiles(TileSide::right, right, {j0, j1, k0, k1}, panel);
      const std::int64_t steps = (k1 - k0) / kTileK;
      const SumsFrom from = k0 > 0 || form.write == Write::add ? SumsFrom::target
                            : form.has_bias                    ? SumsFrom::bias
                                                               : SumsFrom::zero;
      for (std::int64_t i = 0; i < form.m; i += kBlockSide) {
        pack_tiles(TileSide::left, left, {i, i + kBlockSide, k0, k1}, piece);
        for (std::int64_t j = j0; j < j1; j += kBlockSide) {
          const std::byte* const strip = panel + (j - j0) * (k1 - k0) * 2;
          const std::int64_t rows = std::min(kBlockSide, form.m - i);
          const std::int64_t columns = std::min(kBlockSide, form.n - j);
          float* const target = c + i * form.n + j;
          if (rows == kBlockSide && columns == kBlockSide) {
            multiply(piece, strip, steps, from, padded_bias + j, {target, form.n}, {});
            continue;
          }
          if (from == SumsFrom::target)
            for (std::int64_t r = 0; r < rows; ++r) std::copy_n(target + r * form.n, columns, edge + r * 32);
          multiply(piece, strip, steps, from, padded_bias + j, {edge, kBlockSide}, {});
          for (std::int64_t r = 0; r < rows; ++r) std::copy_n(edge + r * 32, columns, target + r * form.n);
        }
      }
    }
  }
}

}  // namespace lockstep::cpu

#else

namespace lockstep::cpu {

void TileProducts::run(const ProductForm&, const BFloat16*, const BFloat16*, const float*, float*) {
  LS_CHECK(false, "no tiles");
}

}  // namespace lockstep::cpu
#endif

#pragma once

#include <algorithm>
#include <cstdint>

#include "tensor/cpu/matmul_products.h"
#include "tensor/cpu/tile_packing.h"

namespace lockstep::cpu {

constexpr std::int64_t rounded_up(std::int64_t value, std::int64_t step) { return (value + step - 1) / step * step; }

// The size of the fewest parts of `total` of at most `most`, all of about one size.
constexpr std::int64_t even_part(std::int64_t total, std::int64_t most, std::int64_t step) {
  const std::int64_t parts = (total + most - 1) / most;
  return rounded_up((total + parts - 1) / parts, step);
}

// The division of a product for the caches of processors that have tiles, 48 KiB and 2 MiB. A packed panel of b stays
// in the large one while all rows of a go by: in bands, which are packed at a time, and within these in strips of
// kBlockSide rows, which stay in the small one while the panel goes by. c is written once for each panel of k.
struct TilePlan {
  static constexpr std::int64_t kPanelBytes = 1 << 20;
  static constexpr std::int64_t kPanelK = 512;  // a strip has 32 KiB

  // Rows of a band of a^T, of which only 64 bytes lie side by side for a strip: slow to read. A strip of a is packed
  // just before it is used.
  static constexpr std::int64_t kTransposedBand = 256;

  // A larger result goes to memory past the caches: its reader would not find it there any more.
  static constexpr std::int64_t kCachedBytes = 4 << 20;

  explicit constexpr TilePlan(const ProductForm& form)
      : panel_k(even_part(form.k, kPanelK, kTileK)),
        panel_n(even_part(form.n, kPanelBytes / 2 / panel_k / kBlockSide * kBlockSide, kBlockSide)),
        band_m(form.a_op == Transpose::no ? kBlockSide : std::min(kTransposedBand, rounded_up(form.m, kBlockSide))),
        is_streamed(form.m * form.n * std::int64_t{sizeof(float)} > kCachedBytes && form.write == Write::replace &&
                    form.k <= kPanelK && form.n % kTileSide == 0) {}

  constexpr std::int64_t panel_bytes() const { return panel_n * panel_k * 2; }
  constexpr std::int64_t band_bytes() const { return band_m * panel_k * 2; }

  std::int64_t panel_k;
  std::int64_t panel_n;
  std::int64_t band_m;
  bool is_streamed;  // past the caches
};

}  // namespace lockstep::cpu

#pragma once

#include <algorithm>
#include <cstdint>

#include "tensor/cpu/tiles.h"

namespace lockstep::cpu {

// How a product c (m, n) = a (m, k) * b (k, n) is cut for the caches. A panel of b, packed, stays in the second one
// (2 MiB where there are tiles) while all of a passes by in strips of 32 rows; of these a piece of kPieceK k, packed,
// stays in the first one (48 KiB) while the panel passes by.
struct TilePlan {
  static constexpr std::int64_t kPieceK = 512;  // 32 KiB
  static constexpr std::int64_t kPanelBytes = 1 << 20;

  std::int64_t panel_n = 0;
  std::int64_t panel_k = 0;
  std::int64_t piece_k = 0;

  std::int64_t panel_bytes() const { return panel_n * panel_k * 2; }
  std::int64_t piece_bytes() const { return kBlockSide * piece_k * 2; }
};

constexpr std::int64_t rounded_up(std::int64_t value, std::int64_t step) { return (value + step - 1) / step * step; }

// `total` in as few parts as there are with at most `most`, of about one size.
constexpr std::int64_t even_part(std::int64_t total, std::int64_t most, std::int64_t step) {
  const std::int64_t parts = (total + most - 1) / most;
  return rounded_up((total + parts - 1) / parts, step);
}

constexpr TilePlan tile_plan(std::int64_t n, std::int64_t k) {
  TilePlan plan;
  plan.piece_k = even_part(k, TilePlan::kPieceK, kTileK);
  plan.panel_k = plan.piece_k;
  plan.panel_n = even_part(
      n, std::max<std::int64_t>(kBlockSide, TilePlan::kPanelBytes / (2 * plan.panel_k) / kBlockSide * kBlockSide),
      kBlockSide);
  return plan;
}

}  // namespace lockstep::cpu

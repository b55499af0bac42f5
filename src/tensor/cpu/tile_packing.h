#pragma once

#include <cstddef>
#include <cstdint>

#include "tensor/half_types.h"

namespace lockstep::cpu {

// The instruction that multiplies tiles (amx_tiles.h) takes a left tile, 16 lines of 32 k, and a right one, 16 pairs of
// k of 16 lines, and adds their product to a tile of 16 x 16 float32.
enum class TileSide { left, right };
constexpr std::int64_t kTileSide = 16;
constexpr std::int64_t kTileK = 32;
constexpr std::int64_t kTileBytes = kTileSide * 64;
constexpr std::int64_t kBlockSide = 2 * kTileSide;  // side of a block of 2 x 2 tiles, made from 2 left and 2 right ones

// One matrix of a product as it lies in memory: `lines` are the rows of the left one or the columns of the right one.
struct TileOperand {
  const BFloat16* data = nullptr;
  std::int64_t lines = 0;
  std::int64_t k = 0;
  bool k_is_inner = false;  // one line's values lie side by side; else those of one k

  std::int64_t stride() const { return k_is_inner ? k : lines; }
};

struct TileRange {  // multiples of kBlockSide lines and kTileK k; zeros where they go past the operand's
  std::int64_t line_begin, line_end;
  std::int64_t k_begin, k_end;
};

// Packs strips of kBlockSide lines, one after the other; for each strip its two tiles for the first kTileK k, then
// those for the next. REQUIRES: has_bfloat16_tiles(); `to` at a cache line.
void pack_tiles(TileSide side, const TileOperand& operand, const TileRange& range, std::byte* to);

}  // namespace lockstep::cpu

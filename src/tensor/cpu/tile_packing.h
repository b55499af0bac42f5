#pragma once

#include <cstddef>
#include <cstdint>

#include "tensor/half_types.h"

namespace lockstep::cpu {

// One matrix of a product as it lies in memory: `lines` are the rows of the left one or the columns of the right one.
struct TileOperand {
  const BFloat16* data = nullptr;
  std::int64_t lines = 0;
  std::int64_t k = 0;
  bool k_is_inner = false;  // one line's values lie side by side; else those of one k

  std::int64_t stride() const { return k_is_inner ? k : lines; }
};

// A left tile has 16 lines of 32 k, a right one 16 pairs of k of 16 lines (tiles.h).
enum class TileSide { left, right };

struct TileRange {  // multiples of kBlockSide lines and kTileK k; zeros where they go past the operand's
  std::int64_t line_begin, line_end;
  std::int64_t k_begin, k_end;
};

// Strips of kBlockSide lines, one after the other; of each strip its two tiles for the first kTileK k, then those for
// the next. REQUIRES: has_tiles(); `to` at a cache line.
void pack_tiles(TileSide side, const TileOperand& operand, const TileRange& range, std::byte* to);

}  // namespace lockstep::cpu

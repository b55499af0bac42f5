#pragma once

#include <cstdint>

namespace lockstep::cpu {

// AMX: eight registers, tiles, of 16 rows of 64 bytes, and an instruction that adds to one of 16 x 16 float32 the
// product of one of 16 x 32 bfloat16, k along the rows, and one of 32 x 16, whose rows hold pairs: of k and k + 1 for
// each column. It takes subnormal numbers for zeros and gives zeros for them.

constexpr std::int64_t kTileSide = 16;  // rows of any tile, columns of float32
constexpr std::int64_t kTileK = 32;     // that one instruction adds up
constexpr std::int64_t kTileBytes = kTileSide * 64;
constexpr std::int64_t kBlockSide = 2 * kTileSide;  // of what is computed at a time: 2 x 2 tiles, from 2 and 2

// Whether this processor has it and the system lets this process use it, which has to be asked for.
bool has_tiles();

// Whole tiles for the thread that makes it, until it ends. REQUIRES: has_tiles().
class TileUse {
 public:
  TileUse();
  ~TileUse();
  TileUse(const TileUse&) = delete;
  TileUse& operator=(const TileUse&) = delete;
};

}  // namespace lockstep::cpu

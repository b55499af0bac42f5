#pragma once

#include <device_code.h>

// A matrix of 16 rows in the registers of a warp, tile by tile of 8 columns, laid out as tensor cores have their
// results (PTX ISA, "Matrix Fragments for mma.m16n8k16"): element e of a thread's four of a tile lies in row own_row(e)
// and column own_column(e).
namespace lockstep {

inline constexpr int kTileRows = 16;
inline constexpr int kTileColumns = 8;

template <int kTiles>
using WarpTiles = float[kTiles][4];

__device__ inline int own_lane() { return static_cast<int>(threadIdx.x) % kWarp; }
__device__ inline int own_warp() { return static_cast<int>(threadIdx.x) / kWarp; }
// The same, known to the compiler as one value of the whole warp: so it knows that the warp stays together in branches.
// Every thread of the warp calls.
__device__ inline int uniform_own_warp() { return shuffle_from(own_warp(), 0); }
__device__ inline int own_row(int element) { return own_lane() / 4 + element / 2 * 8; }
__device__ inline int own_column(int element) { return own_lane() % 4 * 2 + element % 2; }

// Combines the values of the four threads that have a row, with the same result on all of them.
template <class Combine>
__device__ float reduce_row(float value, Combine combine) {
  value = combine(value, shuffle_xor(value, 1));
  return combine(value, shuffle_xor(value, 2));
}

// Columns [begin, end) of those that a warp looks at, which count for some of its rows. Tiles outside are left out.
struct ActiveColumns {
  int begin = 0;
  int end = 0;

  __device__ bool has(int first, int count) const { return first < end && first + count > begin; }
  __device__ bool has_tile(int tile) const { return has(tile * kTileColumns, kTileColumns); }
};

}  // namespace lockstep

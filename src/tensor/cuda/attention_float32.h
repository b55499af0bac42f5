#pragma once

#include <device_code.h>
#include "tensor/cuda/aligned_vector.h"
#include "tensor/cuda/attention_rows.h"
#include "tensor/cuda/warp_tile.h"

namespace lockstep {

// The products of a block of attention, in float32. A block of threads has kRows rows, of which each warp computes 16,
// against kColumns rows of the other kind at a time: kLefts matrices of its own rows stay where they are, all others
// come and go through one tile of shared memory. Every thread of the block makes the same calls.
template <int kChunks, int kLefts>
class Float32Factors {
  static constexpr int kStep = kChunkColumns + 4;  // row step: eight rows at one column lie in different banks

 public:
  static constexpr int kWarps = 2;
  static constexpr int kThreads = kWarps * kWarp;
  static constexpr int kBlocks = kChunks == 1 ? 8 : kChunks == 2 ? 6 : 4;  // blocks of a multiprocessor, by registers
  static constexpr int kRows = kWarps * kTileRows;
  static constexpr int kColumns = 32;
  static constexpr int kTiles = kColumns / kTileColumns;
  using Result = float;
  using Scores = WarpTiles<kTiles>;
  using Results = WarpTiles<kChunkColumns / kTileColumns>[kChunks];

  struct Shared {
    alignas(16) float lefts[kLefts][kRows][kStep];
    alignas(16) float tile[kColumns][kStep];
    alignas(16) float scores[kRows][kColumns + 4];
  };

  __device__ Float32Factors(Shared& shared, const Lefts<kLefts>& lefts) : shared_(shared), lefts_(lefts) {
    if constexpr (kChunks == 1) {
      for (int i = 0; i < kLefts; ++i) load(lefts_.rows[i], 0, shared_.lefts[i]);
    }
  }

  // sums (own rows, columns) += left (own rows, head_dim) * rows^T (head_dim, columns).
  template <int kLeft>
  __device__ void add_left_product(const HeadRows& rows, const ActiveColumns& active, Scores& sums) {
    for (int c = 0; c * kChunkColumns < rows.columns; ++c) {
      __syncthreads();
      if constexpr (kChunks > 1) load(lefts_.rows[kLeft], c, shared_.lefts[kLeft]);
      load(rows, c, shared_.tile);
      __syncthreads();
      const int width = rows.chunk_width(c);
      for (int d = 0; d < width; d += 4) multiply_columns(shared_.lefts[kLeft], d, active, sums);
    }
  }

  // sums (own rows, head_dim) += scores (own rows, columns) * rows (columns, head_dim).
  __device__ void add_score_product(const Scores& scores, const HeadRows& rows, const ActiveColumns& active,
                                    Results& sums) {
    LS_UNROLL
    for (int c = 0; c < kChunks; ++c) {
      if (c * kChunkColumns >= rows.columns) continue;
      __syncthreads();
      if (c == 0) keep(scores);
      load(rows, c, shared_.tile);
      __syncthreads();
      const int width = rows.chunk_width(c);
      for (int k = active.begin / 4 * 4; k < active.end; k += 4) multiply_rows(k, width, sums[c]);
    }
  }

 private:
  // Loads the rows that there are, and zeros up to a multiple of 16. All or several values of a thread are under way at
  // a time.
  __device__ static void load(const HeadRows& rows, int chunk, float (*to)[kStep]) {
    if (rows.fill(kColumns, chunk)) return load_whole(rows, chunk, to);
    constexpr int kBatch = 8;
    constexpr int kRowsAtOnce = kThreads / kChunkColumns;
    const int count = round_up(rows.count, kTileRows) * kChunkColumns;
    for (int first = static_cast<int>(threadIdx.x); first < count; first += kBatch * kThreads) {
      const int row = first / kChunkColumns;
      const int column = first % kChunkColumns;
      float values[kBatch];
      LS_UNROLL
      for (int i = 0; i < kBatch; ++i) values[i] = rows.at(row + i * kRowsAtOnce, chunk * kChunkColumns + column);
      LS_UNROLL
      for (int i = 0; i < kBatch; ++i) to[row + i * kRowsAtOnce][column] = values[i];
    }
  }

  __device__ static void load_whole(const HeadRows& rows, int chunk, float (*to)[kStep]) {
    static_assert(kRows == kColumns);
    constexpr int kRowsAtOnce = kThreads / kChunkFours;
    const int row = static_cast<int>(threadIdx.x) / kChunkFours;
    const int four = static_cast<int>(threadIdx.x) % kChunkFours;
    Four values[kColumns / kRowsAtOnce];
    rows.read_fours(rows.four_at(row, chunk, four), kRowsAtOnce, values);
    LS_UNROLL
    for (int i = 0; i < kColumns / kRowsAtOnce; ++i) values[i].store(&to[row + i * kRowsAtOnce][four * 4]);
  }

  __device__ void keep(const Scores& scores) {
    LS_UNROLL
    for (int i = 0; i < kTiles; ++i) {
      LS_UNROLL
      for (int e = 0; e < 4; ++e) {
        shared_.scores[own_warp() * kTileRows + own_row(e)][i * kTileColumns + own_column(e)] = scores[i][e];
      }
    }
  }

  // Columns [d, d + 4) of both factors.
  __device__ void multiply_columns(const float (*left)[kStep], int d, const ActiveColumns& active, Scores& sums) {
    const int row = own_warp() * kTileRows + own_row(0);
    const auto upper = Four::load(&left[row][d]);
    const auto lower = Four::load(&left[row + 8][d]);
    LS_UNROLL
    for (int i = 0; i < kTiles; ++i) {
      if (!active.has_tile(i)) continue;
      LS_UNROLL
      for (int side = 0; side < 2; ++side) {
        const auto right = Four::load(&shared_.tile[i * kTileColumns + own_column(side)][d]);
        LS_UNROLL
        for (int j = 0; j < 4; ++j) {
          sums[i][side] += upper.at[j] * right.at[j];
          sums[i][side + 2] += lower.at[j] * right.at[j];
        }
      }
    }
  }

  // Rows [k, k + 4) of the tile.
  __device__ void multiply_rows(int k, int width, WarpTiles<kChunkColumns / kTileColumns>& sums) {
    const int row = own_warp() * kTileRows + own_row(0);
    const auto upper = Four::load(&shared_.scores[row][k]);
    const auto lower = Four::load(&shared_.scores[row + 8][k]);
    LS_UNROLL
    for (int j = 0; j < 4; ++j) {
      LS_UNROLL
      for (int i = 0; i < kChunkColumns / kTileColumns; ++i) {
        if (i * kTileColumns >= width) continue;
        const auto right = AlignedVector<float, 2>::load(&shared_.tile[k + j][i * kTileColumns + own_column(0)]);
        LS_UNROLL
        for (int side = 0; side < 2; ++side) {
          sums[i][side] += upper.at[j] * right.at[side];
          sums[i][side + 2] += lower.at[j] * right.at[side];
        }
      }
    }
  }

  Shared& shared_;
  Lefts<kLefts> lefts_;
};

}  // namespace lockstep

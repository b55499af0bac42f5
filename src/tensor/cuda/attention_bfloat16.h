#pragma once

#include <cstdint>

#include <device_code.h>
#include "tensor/cuda/aligned_vector.h"
#include "tensor/cuda/attention_rows.h"
#include "tensor/cuda/warp_tile.h"

namespace lockstep {

// The products of Float32Factors, with factors rounded to bfloat16 for the tensor cores: own rows stay in registers,
// and of the others the tile holds pairs of neighbours along the depth of the product.
template <int kChunks, int kLefts>
class BFloat16Factors {
  static constexpr int kSteps = kChunkColumns / kTileRows;  // steps of 16 columns, the depth of a tensor core's product
  // Row steps with pairs of columns, and with pairs of rows: the words that a warp reads at once lie in different
  // banks.
  static constexpr int kColumnPairStep = kChunkColumns / 2 + 4;
  static constexpr int kRowPairStep = kChunkColumns + 8;
  static constexpr int kBatch = 4;  // pairs that a thread loads at a time, at the edges of a matrix

 public:
  static constexpr int kWarps = 4;
  static constexpr int kThreads = kWarps * kWarp;
  static constexpr int kBlocks = kChunks == 1 ? 3 : 2;  // blocks of a multiprocessor, by registers
  static constexpr int kRows = kWarps * kTileRows;
  // Fewer columns if everything else takes more registers.
  static constexpr int kColumns = kLefts * kChunks < 4 ? 64 / (kLefts * kChunks) : 16;
  static constexpr int kTiles = kColumns / kTileColumns;
  using Result = BFloat16;
  using Scores = WarpTiles<kTiles>;
  using Results = WarpTiles<kChunkColumns / kTileColumns>[kChunks];

  struct Shared {
    alignas(16) std::uint32_t tile[kColumns * kColumnPairStep];  // or half as many rows of kRowPairStep
  };

  __device__ BFloat16Factors(Shared& shared, const Lefts<kLefts>& lefts) : tile_(shared.tile) {
    LS_UNROLL
    for (int i = 0; i < kLefts; ++i) {
      LS_UNROLL
      for (int s = 0; s < kChunks * kSteps; ++s) keep_left(lefts.rows[i], s * kTileRows, lefts_[i][s]);
    }
  }

  // sums (own rows, columns) += left (own rows, head_dim) * rows^T (head_dim, columns).
  template <int kLeft>
  __device__ void add_left_product(const HeadRows& rows, const ActiveColumns& active, Scores& sums) {
    LS_UNROLL
    for (int c = 0; c < kChunks; ++c) {
      if (c * kChunkColumns >= rows.columns) continue;
      __syncthreads();
      load_column_pairs(rows, c);
      __syncthreads();
      LS_UNROLL
      for (int s = 0; s < kSteps; ++s) {
        if (s * kTileRows >= rows.chunk_width(c)) continue;
        LS_UNROLL
        for (int i = 0; i < kTiles; ++i) {
          if (!active.has_tile(i)) continue;
          const std::uint32_t* const pairs =
              tile_ + (i * kTileColumns + own_lane() / 4) * kColumnPairStep + s * kTileRows / 2 + own_lane() % 4;
          add_warp_product(sums[i], lefts_[kLeft][c * kSteps + s], {pairs[0], pairs[4]});
        }
      }
    }
  }

  // sums (own rows, head_dim) += scores (own rows, columns) * rows (columns, head_dim).
  __device__ void add_score_product(const Scores& scores, const HeadRows& rows, const ActiveColumns& active,
                                    Results& sums) {
    std::uint32_t fragments[kColumns / kTileRows][4];
    LS_UNROLL
    for (int s = 0; s < kColumns / kTileRows; ++s) keep_scores(scores[2 * s], scores[2 * s + 1], fragments[s]);
    LS_UNROLL
    for (int c = 0; c < kChunks; ++c) {
      if (c * kChunkColumns >= rows.columns) continue;
      __syncthreads();
      load_row_pairs(rows, c);
      __syncthreads();
      LS_UNROLL
      for (int s = 0; s < kColumns / kTileRows; ++s) {
        if (!active.has(s * kTileRows, kTileRows)) continue;
        LS_UNROLL
        for (int i = 0; i < kChunkColumns / kTileColumns; ++i) {
          if (i * kTileColumns >= rows.chunk_width(c)) continue;
          const std::uint32_t* const pairs =
              tile_ + (s * kTileRows / 2 + own_lane() % 4) * kRowPairStep + i * kTileColumns + own_lane() / 4;
          add_warp_product(sums[c][i], fragments[s], {pairs[0], pairs[4 * kRowPairStep]});
        }
      }
    }
  }

 private:
  // Packs the elements of two tiles as the next product's left factor.
  __device__ static void keep_scores(const float (&left)[4], const float (&right)[4], std::uint32_t (&fragment)[4]) {
    fragment[0] = bfloat16_pair(left[0], left[1]);
    fragment[1] = bfloat16_pair(left[2], left[3]);
    fragment[2] = bfloat16_pair(right[0], right[1]);
    fragment[3] = bfloat16_pair(right[2], right[3]);
  }

  __device__ static void keep_left(const HeadRows& rows, int first, std::uint32_t (&fragment)[4]) {
    LS_UNROLL
    for (int i = 0; i < 4; ++i) {
      const int row = own_warp() * kTileRows + own_lane() / 4 + i % 2 * 8;
      const int column = first + own_lane() % 4 * 2 + i / 2 * 8;
      fragment[i] = bfloat16_pair(rows.at(row, column), rows.at(row, column + 1));
    }
  }

  // Loads the rows that there are, and zeros up to a multiple of 16. All or several values of a thread are under way at
  // a time. The tile bounds the loops, too, so that those of a single turn disappear.
  __device__ void load_column_pairs(const HeadRows& rows, int chunk) {
    if (rows.fill(kColumns, chunk)) return load_whole_column_pairs(rows, chunk);
    constexpr int kPairs = kChunkColumns / 2;  // pairs of a row
    const int count = round_up(rows.count, kTileRows) * kPairs;
    for (int begin = 0; begin < kColumns * kPairs && begin < count; begin += kBatch * kThreads) {
      const int first = begin + static_cast<int>(threadIdx.x);
      const int column = chunk * kChunkColumns + first % kPairs * 2;
      float values[kBatch][2];
      LS_UNROLL
      for (int i = 0; i < kBatch; ++i) {
        const int row = first / kPairs + i * (kThreads / kPairs);
        values[i][0] = rows.at(row, column);
        values[i][1] = rows.at(row, column + 1);
      }
      LS_UNROLL
      for (int i = 0; i < kBatch; ++i) {
        const int row = first / kPairs + i * (kThreads / kPairs);
        tile_[row * kColumnPairStep + first % kPairs] = bfloat16_pair(values[i][0], values[i][1]);
      }
    }
  }

  __device__ void load_whole_column_pairs(const HeadRows& rows, int chunk) {
    constexpr int kRowsAtOnce = kThreads / kChunkFours;
    const int row = static_cast<int>(threadIdx.x) / kChunkFours;
    const int four = static_cast<int>(threadIdx.x) % kChunkFours;
    Four values[kColumns / kRowsAtOnce];
    rows.read_fours(rows.four_at(row, chunk, four), kRowsAtOnce, values);
    LS_UNROLL
    for (int i = 0; i < kColumns / kRowsAtOnce; ++i) {
      const float(&of)[4] = values[i].at;
      const AlignedVector<std::uint32_t, 2> pairs{bfloat16_pair(of[0], of[1]), bfloat16_pair(of[2], of[3])};
      pairs.store(tile_ + (row + i * kRowsAtOnce) * kColumnPairStep + four * 2);
    }
  }

  __device__ void load_row_pairs(const HeadRows& rows, int chunk) {
    if (rows.fill(kColumns, chunk)) return load_whole_row_pairs(rows, chunk);
    const int count = round_up(rows.count, kTileRows) / 2 * kChunkColumns;
    for (int begin = 0; begin < kColumns / 2 * kChunkColumns && begin < count; begin += kBatch * kThreads) {
      const int first = begin + static_cast<int>(threadIdx.x);
      const int column = chunk * kChunkColumns + first % kChunkColumns;
      float values[kBatch][2];
      LS_UNROLL
      for (int i = 0; i < kBatch; ++i) {
        const int pair = first / kChunkColumns + i * (kThreads / kChunkColumns);
        values[i][0] = rows.at(2 * pair, column);
        values[i][1] = rows.at(2 * pair + 1, column);
      }
      LS_UNROLL
      for (int i = 0; i < kBatch; ++i) {
        const int pair = first / kChunkColumns + i * (kThreads / kChunkColumns);
        tile_[pair * kRowPairStep + first % kChunkColumns] = bfloat16_pair(values[i][0], values[i][1]);
      }
    }
  }

  __device__ void load_whole_row_pairs(const HeadRows& rows, int chunk) {
    constexpr int kPairsAtOnce = kThreads / kChunkFours;
    constexpr int kOwn = kColumns / 2 / kPairsAtOnce;
    const int pair = static_cast<int>(threadIdx.x) / kChunkFours;
    const int four = static_cast<int>(threadIdx.x) % kChunkFours;
    Four upper[kOwn];
    Four lower[kOwn];
    const float* const from = rows.four_at(2 * pair, chunk, four);
    rows.read_fours(from, 2 * kPairsAtOnce, upper);
    rows.read_fours(from + rows.stride, 2 * kPairsAtOnce, lower);
    LS_UNROLL
    for (int i = 0; i < kOwn; ++i) {
      AlignedVector<std::uint32_t, 4> pairs;
      LS_UNROLL
      for (int k = 0; k < 4; ++k) pairs.at[k] = bfloat16_pair(upper[i].at[k], lower[i].at[k]);
      pairs.store(tile_ + (pair + i * kPairsAtOnce) * kRowPairStep + four * 4);
    }
  }

  std::uint32_t* tile_;
  std::uint32_t lefts_[kLefts][kChunks * kSteps][4];
};

}  // namespace lockstep

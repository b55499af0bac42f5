#pragma once

#include <cstdint>

#include <device_code.h>
#include "tensor/cuda/aligned_vector.h"
#include "tensor/cuda/attention_call.h"
#include "tensor/cuda/element_types.h"
#include "tensor/cuda/warp_tile.h"

namespace lockstep {

// Products go through the columns of a head in chunks, so that blocks of any width of a head fit in shared memory.
inline constexpr int kChunkColumns = 64;

// Elements of a row that are read at once if their place allows it, and how many of them a chunk has.
using Four = AlignedVector<float, 4>;
inline constexpr int kChunkFours = kChunkColumns / 4;

__device__ inline int at_most(int value, int most) { return value < most ? value : most; }
__device__ inline int round_up(int value, int step) { return (value + step - 1) / step * step; }

// Neighbouring rows of one head in a matrix, times a factor; zeros after the last row and the last column.
struct HeadRows {
  const float* data = nullptr;
  std::int64_t stride = 0;
  int count = 0;
  int columns = 0;
  float factor = 1;

  __device__ HeadRows(const MatrixColumns<const float>& matrix, std::int64_t row, int rows, int head, int head_dim,
                      float times = 1)
      : data(matrix.data + row * matrix.stride + std::int64_t{head} * head_dim),
        stride(matrix.stride),
        count(rows),
        columns(head_dim),
        factor(times) {}

  __device__ float at(int row, int column) const {
    return row < count && column < columns ? factor * data[row * stride + column] : 0;
  }
  // Up to `most` rows, from `first` on.
  __device__ HeadRows part(int first, int most) const {
    HeadRows rows = *this;
    rows.data += first * stride;
    rows.count = at_most(count - first, most);
    return rows;
  }
  // Returns whether there are `rows` rows, and all columns of the chunk, in fours. The same for all threads of a block.
  __device__ bool fill(int rows, int chunk) const {
    const bool has_fours = reinterpret_cast<std::uintptr_t>(data) % sizeof(Four) == 0 && stride % 4 == 0;
    return has_fours && count >= rows && (chunk + 1) * kChunkColumns <= columns;
  }
  __device__ const float* four_at(int row, int chunk, int four) const {
    const int column = chunk * kChunkColumns + four * 4;
    return data + row * stride + column;
  }
  // Four columns of every `step`-th row. REQUIRES: fill() for all of them
  template <int kCount>
  __device__ void read_fours(const float* from, int step, Four (&values)[kCount]) const {
    LS_UNROLL
    for (int i = 0; i < kCount; ++i, from += step * stride) {
      values[i] = Four::load(from);
      LS_UNROLL
      for (float& value : values[i].at) value *= factor;
    }
  }
  // The width of a chunk, rounded up to whole steps of all products.
  __device__ int chunk_width(int chunk) const {
    return round_up(at_most(columns - chunk * kChunkColumns, kChunkColumns), kTileRows);
  }
};

// The matrices of which a block of threads has its own rows.
template <int kCount>
struct Lefts {
  HeadRows rows[kCount];
};

// Writes a warp's part of a block's `count` rows, times a factor for each, to a head's columns.
template <int kChunks, class To>
__device__ void write_rows(const WarpTiles<kChunkColumns / kTileColumns> (&from)[kChunks], const float (&factor)[2],
                           const MatrixColumns<To>& to, std::int64_t row, int count, int head, int head_dim) {
  To* const first = to.data + row * to.stride + std::int64_t{head} * head_dim;
  LS_UNROLL
  for (int c = 0; c < kChunks; ++c) {
    LS_UNROLL
    for (int i = 0; i < kChunkColumns / kTileColumns; ++i) {
      LS_UNROLL
      for (int e = 0; e < 4; ++e) {
        const int column = c * kChunkColumns + i * kTileColumns + own_column(e);
        const int of_warp = own_warp() * kTileRows + own_row(e);
        if (of_warp < count && column < head_dim) {
          store(from[c][i][e] * factor[e / 2], first + of_warp * to.stride + column);
        }
      }
    }
  }
}

}  // namespace lockstep

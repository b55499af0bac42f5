#pragma once

#include <algorithm>
#include <cstdint>

#include <device_code.h>
#include "tensor/cuda/element_types.h"
#include "tensor/cuda/gpu_runtime.h"

// Sums over the rows of a matrix, column by column, in an order that depends only on its extents. The lanes of a warp
// take neighbouring columns, so that they read neighbouring memory; the warps of a block take rows in turn.
namespace lockstep {

// A matrix (samples * positions, columns), cut so that there are blocks enough to fill a GPU: each sample's positions
// into slices, the columns into tiles of a warp's width. A block works on a tile of a slice.
struct Slices {
  std::int64_t samples = 1;
  std::int64_t positions = 0;
  std::int64_t columns = 0;
  std::int64_t length = 1;  // positions of a slice; the last one of a sample may be shorter

  // At least one, so that a sum of nothing is 0.
  constexpr std::int64_t of_sample() const { return positions <= length ? 1 : (positions + length - 1) / length; }
  constexpr std::int64_t count() const { return samples * of_sample(); }
  constexpr std::int64_t tiles() const { return (columns + kWarp - 1) / kWarp; }
};

inline constexpr int kSliceThreads = 256;
inline constexpr int kMostSliceThreads = 1024;

inline Slices sliced(std::int64_t samples, std::int64_t positions, std::int64_t columns) {
  constexpr std::int64_t kBlocks = 1024;  // several for each multiprocessor of any GPU
  constexpr std::int64_t kShortest = 64;  // eight rows for each warp
  Slices slices{.samples = samples, .positions = positions, .columns = columns};
  const std::int64_t tiles = std::max<std::int64_t>(1, samples * slices.tiles());
  const std::int64_t wanted = (kBlocks + tiles - 1) / tiles;
  slices.length = std::max(kShortest, (positions + wanted - 1) / wanted);
  return slices;
}

inline Grid grid_of(const Slices& slices, int threads = kSliceThreads) {
  return {.blocks = slices.count() * slices.tiles(), .threads = threads};
}

// The work of a thread of such a block: rows first, first + stride, ... below end, at one column, which may lie beyond
// the last one.
struct SlicePlace {
  std::int64_t slice;
  std::int64_t sample;
  std::int64_t column;
  std::int64_t first;
  std::int64_t end;
  int stride;
};

__device__ inline SlicePlace place_in(const Slices& slices) {
  const int warp = static_cast<int>(threadIdx.x) / kWarp;
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  const std::int64_t slice = blockIdx.x / slices.tiles();
  const std::int64_t sample = slice / slices.of_sample();
  const std::int64_t begin = slice % slices.of_sample() * slices.length;  // place in the sample
  const std::int64_t end = begin + slices.length < slices.positions ? begin + slices.length : slices.positions;
  return {.slice = slice,
          .sample = sample,
          .column = blockIdx.x % slices.tiles() * kWarp + lane,
          .first = sample * slices.positions + begin + warp,
          .end = sample * slices.positions + end,
          .stride = static_cast<int>(blockDim.x) / kWarp};
}

// sums (Terms::kSums, slices, columns): the terms that terms.add(place, row, sums) adds for each row, in type
// Terms::Sum.
template <class Terms>
__global__ void __launch_bounds__(kMostSliceThreads)
    column_sums_kernel(Slices slices, Terms terms, typename Terms::Sum* sums) {
  using Value = typename Terms::Sum;
  __shared__ Value parts[Terms::kSums][kWarp][kWarp];  // sums of each warp and lane
  const SlicePlace place = place_in(slices);
  const int warp = static_cast<int>(threadIdx.x) / kWarp;
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  Value own[Terms::kSums] = {};
  if (place.column < slices.columns) {
    for (std::int64_t row = place.first; row < place.end; row += place.stride) terms.add(place, row, own);
  }
  for (int k = 0; k < Terms::kSums; ++k) parts[k][warp][lane] = own[k];
  __syncthreads();
  if (warp >= Terms::kSums || place.column >= slices.columns) return;
  Value sum = 0;
  for (int i = 0; i < place.stride; ++i) sum += parts[warp][i][lane];
  sums[(warp * slices.count() + place.slice) * slices.columns + place.column] = sum;
}

// The elements of a matrix (rows, columns) themselves.
template <class T>
struct MatrixTerms {
  using Sum = float;
  static constexpr int kSums = 1;
  const T* matrix;
  std::int64_t columns;

  __device__ void add(const SlicePlace& place, std::int64_t row, float* sums) const {
    *sums += as_float(matrix[row * columns + place.column]);
  }
};

// Floats of scratch memory that sum_columns takes.
inline std::int64_t sum_columns_scratch(std::int64_t rows, std::int64_t columns) {
  const std::int64_t slices = sliced(1, rows, columns).count();
  return slices == 1 ? 0 : slices * columns;
}

// sums (columns) = those of matrix (rows, columns): slices first, then the slices' sums.
template <class T>
void sum_columns(const T* matrix, float* sums, std::int64_t rows, std::int64_t columns, float* scratch,
                 GpuStream stream) {
  const Slices slices = sliced(1, rows, columns);
  const bool whole = slices.count() == 1;
  launch(stream, grid_of(slices), &column_sums_kernel<MatrixTerms<T>>, slices, MatrixTerms<T>{matrix, columns},
         whole ? sums : scratch);
  if (whole) return;
  const Slices all{.positions = slices.count(), .columns = columns, .length = slices.count()};
  // Uses more threads, since few blocks are left.
  launch(stream, grid_of(all, kMostSliceThreads), &column_sums_kernel<MatrixTerms<float>>, all,
         MatrixTerms<float>{scratch, columns}, sums);
}

}  // namespace lockstep

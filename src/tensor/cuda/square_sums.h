#pragma once

#include <cstddef>
#include <cstdint>

#include <device_code.h>
#include "tensor/cuda/block_reduction.h"
#include "tensor/cuda/each_element.h"

// Two sums of squares in double precision over a grid. Each block writes its sums to memory; each block of the stream's
// next kernel adds up those of all blocks in the same order. So no kernel waits for the host, and the order of
// additions depends on the count only, not on the GPU.
namespace lockstep {

struct SquareSums {
  double of_values = 0;
  double of_steps = 0;  // gradients, or unscaled changes of values

  __device__ void add_value(float value) { of_values += static_cast<double>(value) * static_cast<double>(value); }
  __device__ void add_step(float step) { of_steps += static_cast<double>(step) * static_cast<double>(step); }
};

// The largest grid: several blocks for each multiprocessor, and few sums for each block to read.
inline constexpr std::int64_t kMostSquareBlocks = 512;
inline constexpr std::size_t kSquareBytes = kMostSquareBlocks * sizeof(SquareSums);

// The grid of both kernels: each runs each_element() on `count` elements.
inline Grid grid_of_squares(std::int64_t count) {
  const Grid grid = grid_of_each(count);
  return {.blocks = grid.blocks < kMostSquareBlocks ? grid.blocks : kMostSquareBlocks, .threads = grid.threads};
}

// The sums of all threads of the block, the same on all of them.
__device__ inline SquareSums reduce_squares(const SquareSums& own) {
  __shared__ double scratch[kWarp];
  const double of_values = reduce_block(own.of_values, Sum(), scratch);
  return {of_values, reduce_block(own.of_steps, Sum(), scratch)};
}

// The first kernel calls this at its end.
__device__ inline void leave_squares(const SquareSums& own, SquareSums* blocks) {
  const SquareSums sums = reduce_squares(own);
  if (threadIdx.x == 0) blocks[blockIdx.x] = sums;
}

// The second kernel, which has the same grid, calls this at its beginning.
__device__ inline SquareSums total_squares(const SquareSums* blocks) {
  SquareSums own;
  for (unsigned i = threadIdx.x; i < gridDim.x; i += blockDim.x) {
    own.of_values += blocks[i].of_values;
    own.of_steps += blocks[i].of_steps;
  }
  return reduce_squares(own);
}

}  // namespace lockstep

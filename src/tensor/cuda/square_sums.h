#pragma once

#include <cstddef>
#include <cstdint>

#include <device_code.h>
#include "tensor/cuda/block_reduction.h"
#include "tensor/cuda/each_element.h"

// Two sums of squares over a grid in double precision, which the next kernel of the stream reads: each block leaves its
// threads' sums, and each block of the next kernel adds all of them up in the same order. So the host is never asked,
// and a sum depends on the count only, not on the GPU.
namespace lockstep {

struct SquareSums {
  double of_values = 0;
  double of_steps = 0;  // of gradients, or of the changes of values

  __device__ void add_value(float value) { of_values += static_cast<double>(value) * static_cast<double>(value); }
  __device__ void add_step(float step) { of_steps += static_cast<double>(step) * static_cast<double>(step); }
};

// Enough to fill any GPU, and few enough that every block can read the sums of all.
inline constexpr std::int64_t kMostSquareBlocks = 512;
inline constexpr std::size_t kSquareBytes = kMostSquareBlocks * sizeof(SquareSums);

// The grid of both kernels, each an each_element over `count` elements.
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

// Called at the end of the first kernel.
__device__ inline void leave_squares(const SquareSums& own, SquareSums* blocks) {
  const SquareSums sums = reduce_squares(own);
  if (threadIdx.x == 0) blocks[blockIdx.x] = sums;
}

// Called at the beginning of the second kernel, which has the same grid.
__device__ inline SquareSums total_squares(const SquareSums* blocks) {
  SquareSums own;
  for (unsigned i = threadIdx.x; i < gridDim.x; i += blockDim.x) {
    own.of_values += blocks[i].of_values;
    own.of_steps += blocks[i].of_steps;
  }
  return reduce_squares(own);
}

}  // namespace lockstep

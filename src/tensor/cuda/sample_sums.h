#pragma once

#include <cstdint>
#include <limits>

#include <device_code.h>
#include "tensor/cuda/block_reduction.h"
#include "tensor/cuda/gpu_runtime.h"
#include "tensor/tensor.h"

// Common code of losses and metrics. A block of threads works on the row of a sample and leaves a few numbers; a second
// launch weights and adds up these, so that the order of blocks changes no bit.
namespace lockstep {

// Checks predictions (B, K), weights (B), and that there are as many targets as expected.
void check_samples(const Tensor& predictions, const Tensor& weights, std::int64_t targets, std::int64_t expected);
// Checks that a gradient has as many elements as predictions, or none.
void check_gradient(const Tensor& gradient, const Tensor& predictions);

inline constexpr int kMostRowThreads = 1024;

// A block for each row, with more threads the more there is to do.
inline Grid grid_of_rows(std::int64_t rows, std::int64_t width) {
  constexpr std::int64_t kOfThread = 16;
  constexpr std::int64_t kMostWarps = kMostRowThreads / kWarp;
  const std::int64_t warps = (width + kOfThread * kWarp - 1) / (kOfThread * kWarp);
  return {.blocks = rows, .threads = kWarp * static_cast<int>(warps < 1 ? 1 : warps < kMostWarps ? warps : kMostWarps)};
}

// sums (count) = sum over the samples of weights (samples) * values (count, samples).
void add_up_samples(const double* values, const float* weights, double* sums, std::int64_t count, std::int64_t samples,
                    GpuStream stream);

// The largest of a row's numbers and its first place. Ignores NaN.
struct FirstLargest {
  float value = std::numeric_limits<float>::lowest();  // not infinity: a difference to it is a number
  std::int64_t index = -1;                             // -1: none is larger than that

  __device__ void take(float other, std::int64_t at) {  // REQUIRES: after all that were taken
    if (!(other > value)) return;
    value = other;
    index = at;
  }
};

// Combines a block's results, on all its threads; index: int64's largest if there is none. scratch: as reduce_block's.
__device__ inline FirstLargest first_largest_of_block(FirstLargest own, float* scratch, std::int64_t* index_scratch) {
  constexpr std::int64_t kNowhere = std::numeric_limits<std::int64_t>::max();
  const float value = reduce_block(own.value, Maximum(), scratch);
  const bool has_it = own.value == value && own.index >= 0;
  const std::int64_t index = reduce_block(has_it ? own.index : kNowhere, Minimum(), index_scratch);
  FirstLargest all;
  all.value = value;
  all.index = index;
  return all;
}

}  // namespace lockstep

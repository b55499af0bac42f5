#pragma once

#include <cstdint>

#include <device_code.h>

// Parts of kernels. The order of every sum is fixed by the size of the block, so a kernel gives the same bits each
// time.
namespace lockstep {

// Elements of a loop over all threads of the grid: for (i = first_index(); i < count; i += index_stride()).
__device__ inline std::int64_t first_index() {
  return static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
}
__device__ inline std::int64_t index_stride() { return static_cast<std::int64_t>(gridDim.x) * blockDim.x; }

inline constexpr int kElementThreads = 256;
inline constexpr std::int64_t kMostElementBlocks = 4096;  // fills any GPU; the loop takes what is beyond

// The grid of such a loop over `count` elements.
inline Grid grid_of(std::int64_t count) {
  const std::int64_t blocks = (count + kElementThreads - 1) / kElementThreads;
  return {.blocks = blocks < kMostElementBlocks ? blocks : kMostElementBlocks, .threads = kElementThreads};
}

struct Sum {
  template <class T>
  __device__ T operator()(T a, T b) const {
    return a + b;
  }
};
struct Maximum {
  template <class T>
  __device__ T operator()(T a, T b) const {
    return a < b ? b : a;
  }
};
struct Minimum {
  template <class T>
  __device__ T operator()(T a, T b) const {
    return b < a ? b : a;
  }
};

// Two sums that one reduction makes, with half as many barriers as one for each.
struct TwoSums {
  double first;
  double second;

  __device__ TwoSums operator+(const TwoSums& other) const { return {first + other.first, second + other.second}; }
};
__device__ inline TwoSums shuffle_xor(const TwoSums& sums, int mask) {
  return {shuffle_xor(sums.first, mask), shuffle_xor(sums.second, mask)};
}

// Combines the values of the warp's threads, with the same result on all of them.
template <class T, class Combine>
__device__ T reduce_warp(T value, Combine combine) {
  for (int mask = kWarp / 2; mask > 0; mask /= 2) value = combine(value, shuffle_xor(value, mask));
  return value;
}

// Combines the values of the block's threads, with the same result on all of them; scratch: kWarp elements in shared
// memory, which the next call may use at once. REQUIRES: at most kWarp warps.
template <class T, class Combine>
__device__ T reduce_block(T value, Combine combine, T* scratch) {
  const int warp = static_cast<int>(threadIdx.x) / kWarp;
  const int warps = static_cast<int>(blockDim.x) / kWarp;
  value = reduce_warp(value, combine);
  if (threadIdx.x % kWarp == 0) scratch[warp] = value;
  __syncthreads();
  T result = scratch[0];
  for (int i = 1; i < warps; ++i) result = combine(result, scratch[i]);
  __syncthreads();
  return result;
}

}  // namespace lockstep

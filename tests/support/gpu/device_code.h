#pragma once

#include <cmath>
#include <cstdint>
#include <source_location>
#include <type_traits>

#include "support/gpu/block_runner.h"
#include "support/gpu/fake_stream.h"
#include "support/gpu/tensor_core.h"
#include "tensor/cuda/gpu_runtime.h"
#include "tensor/half_types.h"

// Counterpart of src/tensor/cuda/nvcc/device_code.h for g++: a kernel is a function, which the CPU calls for every
// thread of every block, one block after the other (support/gpu/block_runner.h).

#define __global__
#define __launch_bounds__(...)
#define __device__
#define __host__
#define __shared__ static  // one block runs at a time
#define LS_UNROLL
#define __syncthreads() ::lockstep::gpu_stand_in::meet_block(std::source_location::current())

namespace lockstep {

inline constexpr int kWarp = gpu_stand_in::kLanes;

struct Grid {
  std::int64_t blocks = 0;
  int threads = 0;
};

using gpu_stand_in::blockDim;
using gpu_stand_in::blockIdx;
using gpu_stand_in::gridDim;
using gpu_stand_in::threadIdx;

template <class... Parameters, class... Arguments>
void launch(GpuStream stream, Grid grid, void (*kernel)(Parameters...), const Arguments&... arguments) {
  if (grid.blocks == 0) return;
  static_assert((std::is_trivially_copyable_v<Parameters> && ...), "a launch copies its arguments byte by byte");
  const auto call = [kernel, ... values = static_cast<Parameters>(arguments)] { kernel(values...); };
  gpu_stand_in::submit(stream, [call, grid] { gpu_stand_in::run_grid(grid.blocks, grid.threads, call); });
}

template <class T>
T shuffle_xor(T value, int mask, std::source_location place = std::source_location::current()) {
  return gpu_stand_in::WarpValues<T>(value, place).of(gpu_stand_in::own_lane() ^ mask);
}

template <class T>
T shuffle_from(T value, int lane, std::source_location place = std::source_location::current()) {
  return gpu_stand_in::WarpValues<T>(value, place).of(lane);
}

// Not inlined, so that g++ does not fuse the product with the operation that uses it.
[[gnu::noinline]] inline float product_rounded(float a, float b) { return a * b; }

inline std::uint32_t bfloat16_pair(float first, float second) {
  return narrowed<BFloat16>(first).bits | std::uint32_t{narrowed<BFloat16>(second).bits} << 16;
}

inline void add_warp_product(float (&sums)[4], const std::uint32_t (&a)[4], const std::uint32_t (&b)[2],
                             std::source_location place = std::source_location::current()) {
  gpu_stand_in::add_warp_product(sums, a, b, place);
}

}  // namespace lockstep

#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "tensor/cuda/cuda_check.h"
#include "tensor/cuda/gpu_runtime.h"

// What kernels are written with: CUDA C++, less `<<<>>>`, and with the names below in place of intrinsics. Two headers
// have this name and fill it: this one for nvcc, and one for g++ (tests/support/gpu/device_code.h), under which kernels
// run on the processor; the include path of whoever compiles a kernel chooses. So kernels keep to what both have:
// __global__, __launch_bounds__, __device__, __shared__ arrays of a fixed size, threadIdx.x, blockIdx.x, blockDim.x,
// gridDim.x,
// __syncthreads(), and float arithmetic. Blocks are of one dimension, their threads a multiple of kWarp; every thread
// of a block that has not returned reaches each __syncthreads(), every thread of a warp each shuffle. A kernel of
// blocks of more than 256 threads says so by __launch_bounds__, or they might find too few registers.
namespace lockstep {

inline constexpr int kWarp = 32;

struct Grid {
  std::int64_t blocks = 0;  // below 2^31; 0: nothing is to be done
  int threads = 0;          // of a block
};

// Submits a kernel to the stream. REQUIRES: its device is selected.
template <class... Parameters, class... Arguments>
void launch(GpuStream stream, Grid grid, void (*kernel)(Parameters...), const Arguments&... arguments) {
  if (grid.blocks == 0) return;  // which CUDA calls an error
  kernel<<<static_cast<unsigned>(grid.blocks), grid.threads, 0, static_cast<cudaStream_t>(stream.handle)>>>(
      arguments...);
  LS_CUDA(cudaGetLastError());
}

// The value that the thread of the warp whose number differs by the bits of `mask` gave to the same call.
template <class T>
__device__ T shuffle_xor(T value, int mask) {
  return __shfl_xor_sync(0xffffffffU, value, mask);
}

// The value that the thread `lane` of the warp gave to the same call.
template <class T>
__device__ T shuffle_from(T value, int lane) {
  return __shfl_sync(0xffffffffU, value, lane);
}

// a * b + c, with both rounded as in a program for the host: never as one operation with one rounding. For what has to
// be the host's bits.
__device__ inline float product_rounded(float a, float b) { return __fmul_rn(a, b); }

}  // namespace lockstep

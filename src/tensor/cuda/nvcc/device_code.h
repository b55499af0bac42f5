#pragma once

#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <cstdint>

#include "tensor/cuda/cuda_check.h"
#include "tensor/cuda/gpu_runtime.h"

// Precedes a loop of a fixed length over an array that must lie in registers: indices have to be constants for that.
#define LS_UNROLL _Pragma("unroll")

// The language of kernels: CUDA C++, without `<<<>>>`, and with the names below in place of intrinsics. Two headers
// have this name and fill it: this one for nvcc, and one for g++ (tests/support/gpu/device_code.h), under which kernels
// run on the processor; the include path chooses. So kernels keep to what both have: __global__, __launch_bounds__,
// __device__, __shared__ arrays of a fixed size, threadIdx.x, blockIdx.x, blockDim.x, gridDim.x, __syncthreads(),
// LS_UNROLL, and float arithmetic. Blocks are of one dimension, their threads a multiple of kWarp; every thread of a
// block that has not returned reaches each __syncthreads(), every thread of a warp each shuffle. A kernel with blocks
// of more than 256 threads says so by __launch_bounds__, or it might find too few registers.
namespace lockstep {

inline constexpr int kWarp = 32;

struct Grid {
  std::int64_t blocks = 0;  // below 2^31; 0: nothing to do
  int threads = 0;          // per block
};

// Submits a kernel to the stream. REQUIRES: its device is selected.
template <class... Parameters, class... Arguments>
void launch(GpuStream stream, Grid grid, void (*kernel)(Parameters...), const Arguments&... arguments) {
  if (grid.blocks == 0) return;  // CUDA calls it an error
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

// a * b, rounded as in a program for the host: a sum with it never becomes one operation with one rounding. For results
// that must have the host's bits.
__device__ inline float product_rounded(float a, float b) { return __fmul_rn(a, b); }

// Two values rounded to bfloat16, to nearest, ties to even; the first in the lower half.
__device__ inline std::uint32_t bfloat16_pair(float first, float second) {
  const __nv_bfloat162 pair = __floats2bfloat162_rn(first, second);
  std::uint32_t bits = 0;
  memcpy(&bits, &pair, sizeof(bits));
  return bits;
}

// sums (16, 8) += a (16, 16) * b (16, 8), by the tensor cores: the values of a and b are bfloat16 in pairs, the sums
// float32, whose order is the tensor cores' own. The threads of a warp hold the matrices as in PTX's mma.m16n8k16: with
// g = lane / 4 and t = lane % 4,
//   a: the pairs of columns 2 t and 2 t + 1 of rows g and g + 8, then those of columns 2 t + 8 and 2 t + 9;
//   b: the pairs of rows 2 t and 2 t + 1 of column g, then those of rows 2 t + 8 and 2 t + 9;
//   sums: columns 2 t and 2 t + 1 of row g, then of row g + 8.
// REQUIRES: GpuDescription::bfloat16
__device__ inline void add_warp_product(float (&sums)[4], const std::uint32_t (&a)[4], const std::uint32_t (&b)[2]) {
#if __CUDA_ARCH__ >= 800
  // volatile: all threads of the warp take part, so the compiler may not move it into a branch that only some take.
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
      "{%0, %1, %2, %3};"
      : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
#else
  __trap();  // never asked for on such a GPU
#endif
}

}  // namespace lockstep

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <algorithm>

#include "tensor/cuda/cuda_check.h"
#include "tensor/cuda/kernels.h"

namespace lockstep {
namespace {

constexpr int kBlock = 256;
constexpr std::int64_t kMaxBlocks = 4096;  // enough to fill any GPU; the loop takes what is beyond

template <class T>
__global__ void fill_kernel(T* values, std::int64_t count, T value) {
  const std::int64_t stride = std::int64_t{gridDim.x} * blockDim.x;
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += stride) values[i] = value;
}

template <class T>
void launch_fill(const Tensor& tensor, double value, cudaStream_t stream) {
  const std::int64_t blocks = std::min((tensor.count() + kBlock - 1) / kBlock, kMaxBlocks);
  fill_kernel<T>
      <<<static_cast<unsigned>(blocks), kBlock, 0, stream>>>(static_cast<T*>(tensor.data()), tensor.count(), T(value));
  LS_CUDA(cudaGetLastError());
}

}  // namespace

void submit_fill(const Tensor& tensor, double value, cudaStream_t stream) {
  if (tensor.empty()) return;  // a launch of no blocks is an error
  switch (tensor.dtype()) {
    case DType::float32:
      return launch_fill<float>(tensor, value, stream);
    case DType::float64:
      return launch_fill<double>(tensor, value, stream);
    case DType::int32:
      return launch_fill<std::int32_t>(tensor, value, stream);
    case DType::int64:
      return launch_fill<std::int64_t>(tensor, value, stream);
    case DType::uint8:
      return launch_fill<std::uint8_t>(tensor, value, stream);
    case DType::bfloat16:
      return launch_fill<__nv_bfloat16>(tensor, value, stream);
    case DType::float16:
      return launch_fill<__half>(tensor, value, stream);
  }
}

}  // namespace lockstep

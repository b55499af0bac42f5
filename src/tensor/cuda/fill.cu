#include <cstdint>

#include <device_code.h>
#include "tensor/cuda/block_reduction.h"
#include "tensor/cuda/cuda_backend.h"
#include "tensor/half_types.h"

namespace lockstep {
namespace {

template <class T>
__global__ void fill_kernel(T* values, std::int64_t count, T value) {
  for (std::int64_t i = first_index(); i < count; i += index_stride()) values[i] = value;
}

template <class T>
void submit(const Tensor& tensor, T value, GpuStream stream) {
  launch(stream, grid_of(tensor.count()), &fill_kernel<T>, static_cast<T*>(tensor.data()), tensor.count(), value);
}

}  // namespace

void CudaBackend::fill(const Tensor& tensor, double value) {
  begin({tensor});
  switch (tensor.dtype()) {
    case DType::float32:
      return submit(tensor, static_cast<float>(value), stream_);
    case DType::float64:
      return submit(tensor, value, stream_);
    case DType::int32:
      return submit(tensor, static_cast<std::int32_t>(value), stream_);
    case DType::int64:
      return submit(tensor, static_cast<std::int64_t>(value), stream_);
    case DType::uint8:
      return submit(tensor, static_cast<std::uint8_t>(value), stream_);
    case DType::bfloat16:
      return submit(tensor, narrowed<BFloat16>(static_cast<float>(value)), stream_);
    case DType::float16:
      return submit(tensor, narrowed<Float16>(static_cast<float>(value)), stream_);
  }
}

}  // namespace lockstep

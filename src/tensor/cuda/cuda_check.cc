#include "tensor/cuda/cuda_check.h"

#include <fmt/format.h>

#include "tensor/device_error.h"

namespace lockstep {

void check_cuda(cudaError_t status, Where where) {
  if (status == cudaSuccess) return;
  cudaGetLastError();
  throw DeviceError(describe(where, fmt::format("{}: {}", cudaGetErrorName(status), cudaGetErrorString(status))));
}

}  // namespace lockstep

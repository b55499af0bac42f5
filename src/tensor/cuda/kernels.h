#pragma once

#include <cuda_runtime_api.h>

#include "tensor/tensor.h"

// Work that needs device code: submitted to a stream, checked for a failed launch, not waited for. Callers have
// selected the device and checked shapes and dtypes. Defined in the .cu files.
namespace lockstep {

void submit_fill(const Tensor& tensor, double value, cudaStream_t stream);

}  // namespace lockstep

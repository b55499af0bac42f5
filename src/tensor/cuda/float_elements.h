#pragma once

#include "tensor/tensor.h"

namespace lockstep {

// Where the elements of a tensor of a GPU lie, for its kernels; null for a tensor that there is not. REQUIRES: float32.
inline float* floats_of(const Tensor& tensor) {
  LS_CHECK(tensor.dtype() == DType::float32,
           std::string("a tensor of ") + name(tensor.dtype()) + " where float32 is due");
  return static_cast<float*>(tensor.data());
}

}  // namespace lockstep

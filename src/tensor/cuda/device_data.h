#pragma once

#include <string>

#include "tensor/tensor.h"

// Conversion of tensors to pointers that kernels take. No fmt here or in a kernel's file: nvcc does not compile it.
namespace lockstep {

// A tensor's elements. REQUIRES: of type T.
template <class T>
T* data_of(const Tensor& tensor) {
  LS_CHECK(tensor.dtype() == dtype_of<T>(),
           std::string("a tensor of ") + name(tensor.dtype()) + " where one of " + name(dtype_of<T>()) + " is taken");
  return static_cast<T*>(tensor.data());
}

// The same, or null for a tensor that is not wanted.
template <class T>
T* optional_data_of(const Tensor& tensor) {
  return tensor.empty() ? nullptr : data_of<T>(tensor);
}

}  // namespace lockstep

#pragma once

#include <string>

#include "tensor/tensor.h"

namespace lockstep {

// The elements of a tensor, for a kernel that takes them as T; the host never reads them.
template <class T>
T* elements_of(const Tensor& tensor) {
  LS_CHECK(tensor.dtype() == dtype_of<T>(),
           std::string(name(tensor.dtype())) + " " + tensor.shape().text() + " for a kernel of " + name(dtype_of<T>()));
  return static_cast<T*>(tensor.data());
}

}  // namespace lockstep

#pragma once

#include <initializer_list>

#include "base/error.h"
#include "tensor/tensor.h"

// Helpers by which the methods of CpuBackend get from tensors to raw pointers.
namespace lockstep {

// Elements of a row: all axes but the first.
inline std::int64_t width_of(const Tensor& matrix) {
  return matrix.shape().rank() == 0 ? 1 : matrix.shape().without_front().elements();
}

// Runs body with the host elements, as float or double.
template <class Body>
auto on_type(const Tensor& tensor, Body body) {
  if (tensor.dtype() == DType::float64) return body(tensor.as<double>());
  return body(tensor.as<float>());
}

// The host elements, or null for a tensor that is not wanted.
template <class T>
T* optional(const Tensor& tensor) {
  return tensor.empty() ? nullptr : tensor.as<T>();
}

}  // namespace lockstep

#pragma once

#include <initializer_list>

#include "tensor/tensor.h"

namespace lockstep {

// Checks an update's arguments: gradients and slots must be as long as the values.
inline void check_spans(const Tensor& values, std::initializer_list<Tensor> others) {
  for (const Tensor& other : others) LS_CHECK(other.count() == values.count(), "an update of unlike spans");
}

}  // namespace lockstep

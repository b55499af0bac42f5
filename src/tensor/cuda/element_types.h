#pragma once

#include <type_traits>

#include <device_code.h>
#include "tensor/half_types.h"

// Conversions between elements and the floats that kernels compute with.
namespace lockstep {

__device__ inline float as_float(float value) { return value; }
__device__ inline float as_float(BFloat16 value) { return widened(value); }
__device__ inline float as_float(Float16 value) { return widened(value); }

// A result as it is stored: itself, or rounded if the target is a 16-bit type.
template <class To>
__device__ To rounded_to(float value) {
  if constexpr (std::is_same_v<To, float>) {
    return value;
  } else {
    return narrowed<To>(value);
  }
}

template <class To>
__device__ void store(float value, To* to) {
  *to = rounded_to<To>(value);
}

}  // namespace lockstep

#pragma once

#include <device_code.h>
#include "tensor/half_types.h"

// From elements to the floats that kernels compute with, and back.
namespace lockstep {

__device__ inline float as_float(float value) { return value; }
__device__ inline float as_float(BFloat16 value) { return widened(value); }

__device__ inline void store(float value, float* to) { *to = value; }
__device__ inline void store(float value, BFloat16* to) { *to = narrowed<BFloat16>(value); }

}  // namespace lockstep

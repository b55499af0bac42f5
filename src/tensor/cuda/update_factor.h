#pragma once

#include <device_code.h>
#include "tensor/update_steps.h"

namespace lockstep {

// Turns a gradient, which is a sum, into the one that an update takes: multiplies it by the step's factor and the one
// in memory of the GPU. Each kernel that takes one calls read() first.
struct UpdateFactor {
  explicit UpdateFactor(const UpdateStep& step)
      : of_step(step.factor), of_device(step.device_factor), value(static_cast<float>(step.factor)) {}

  // Reads the factor. Returns whether there is anything to do.
  __device__ bool read() {
    if (of_device == nullptr) return true;
    value = static_cast<float>(of_step * *of_device);
    return *of_device != 0;
  }
  __device__ float operator()(float gradient) const { return product_rounded(gradient, value); }

  double of_step;
  const double* of_device;
  float value;
};

}  // namespace lockstep

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include <device_code.h>
#include "tensor/cuda/update_factor.h"

namespace lockstep {

// An update on its way to the kernels of its formula: `count` elements of each span.
struct GpuUpdate {
  GpuStream stream;
  std::function<void*(std::size_t bytes)> scratch;  // CudaBackend's
  UpdateFactor factor;
  std::int64_t count;
  float* values;
  const float* gradients;
  float* slots[kMostSlots];
};

// Submit it. The element-wise formulas are in updates.cu, and need not be named here.
void launch_update(const GpuUpdate& update, const LambStep& step);       // layerwise_updates.cu
void launch_update(const GpuUpdate& update, const LarsStep& step);       // layerwise_updates.cu
void launch_update(const GpuUpdate& update, const AdafactorStep& step);  // adafactor.cu

}  // namespace lockstep

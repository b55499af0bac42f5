#pragma once

#include <cstdint>

#include "tensor/cuda/gpu_runtime.h"

// Kernels for Backend::normalize and normalize_backward: for the rows of layer norm (layer_norm.cu), and for any shape
// (group_norm.cu). norms.cc checks and chooses.
namespace lockstep {

// x (samples, positions, channels) in `groups` groups of neighbouring channels; statistics (samples, groups).
struct GpuNorm {
  std::int64_t samples = 0;
  std::int64_t positions = 0;
  std::int64_t channels = 0;
  std::int64_t groups = 0;
  const float* x = nullptr;
  const float* scale = nullptr;
  const float* shift = nullptr;  // forward only
  float* mean = nullptr;
  float* inverse_stddev = nullptr;

  constexpr std::int64_t width() const { return channels / groups; }  // channels of a group
};

struct GpuNormGradients {
  const float* dy = nullptr;
  float* dx = nullptr;  // may be dy, or null
  float* dscale = nullptr;
  float* dshift = nullptr;
};

// To: float or BFloat16. The scratch memory of a backward pass is counted in floats.
bool is_layer_norm(const GpuNorm& norm);  // true if layer_norm takes its shape
template <class To>
void layer_norm(const GpuNorm& norm, double epsilon, To* y, GpuStream stream);
std::int64_t layer_norm_backward_scratch(const GpuNorm& norm);
void layer_norm_backward(const GpuNorm& norm, const GpuNormGradients& gradients, float* scratch, GpuStream stream);

std::int64_t group_norm_scratch(const GpuNorm& norm);  // doubles
template <class To>
void group_norm(const GpuNorm& norm, double epsilon, To* y, double* scratch, GpuStream stream);
std::int64_t group_norm_backward_scratch(const GpuNorm& norm);
void group_norm_backward(const GpuNorm& norm, const GpuNormGradients& gradients, float* scratch, GpuStream stream);

}  // namespace lockstep

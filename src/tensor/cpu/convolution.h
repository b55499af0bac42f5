#pragma once

#include <cstdint>
#include <memory>

#include "tensor/backend.h"

namespace lockstep::cpu {

// The extents of a convolution: x (batch, height, width, channels), kernel (window.height, window.width, channels,
// filters), y (batch, out_height, out_width, filters).
struct ConvolutionShape {
  WindowForm window;
  std::int64_t batch;
  std::int64_t height;
  std::int64_t width;
  std::int64_t channels;
  std::int64_t out_height;
  std::int64_t out_width;
  std::int64_t filters;

  bool operator==(const ConvolutionShape&) const = default;
};

// float32 convolutions through oneDNN. Activations stay dense (B, H, W, C), at which oneDNN is within a few per cent of
// its own blocked layouts; only the small kernel is copied into the layout it likes, and its gradient back.
//
// The code compiled for a shape and the layout of its kernel are made at its first call and kept; scratch memory is
// shared by all and only grows. So we allocate nothing from the second call of a shape on. One thread.
class Convolutions {
 public:
  Convolutions();
  ~Convolutions();
  Convolutions(const Convolutions&) = delete;
  Convolutions& operator=(const Convolutions&) = delete;

  // REQUIRES: a batch of at least one image.
  void forward(const ConvolutionShape& shape, const float* x, const float* kernel, const float* bias, float* y);
  void backward_input(const ConvolutionShape& shape, const float* dy, const float* kernel, float* dx);
  void backward_kernel(const ConvolutionShape& shape, const float* x, const float* dy, float* dkernel, float* dbias);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// convolution_reference.cc: the same by plain loops in float64, for gradient checks.
void convolve(const ConvolutionShape& shape, const double* x, const double* kernel, const double* bias, double* y);
void convolve_backward_input(const ConvolutionShape& shape, const double* dy, const double* kernel, double* dx);
void convolve_backward_kernel(const ConvolutionShape& shape, const double* x, const double* dy, double* dkernel,
                              double* dbias);

}  // namespace lockstep::cpu

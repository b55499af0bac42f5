#pragma once

#include <cstdint>

#include "tensor/backend.h"

namespace lockstep::cpu {

// x (batch, height, width, channels) -> y (batch, out_height, out_width, channels).
struct PoolingShape {
  Pooling pooling;
  WindowForm window;
  std::int64_t batch;
  std::int64_t height;
  std::int64_t width;
  std::int64_t channels;
  std::int64_t out_height;
  std::int64_t out_width;
};

void pool(const PoolingShape& shape, const float* x, float* y);
void pool(const PoolingShape& shape, const double* x, double* y);
void pool_backward(const PoolingShape& shape, const float* x, const float* y, const float* dy, float* dx);
void pool_backward(const PoolingShape& shape, const double* x, const double* y, const double* dy, double* dx);

}  // namespace lockstep::cpu

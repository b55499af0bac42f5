#include <algorithm>
#include <cstdint>

#include <device_code.h>
#include "tensor/cuda/block_reduction.h"
#include "tensor/cuda/column_sums.h"
#include "tensor/cuda/element_types.h"
#include "tensor/cuda/norm_kernels.h"

namespace lockstep {
namespace {

// A block works on a row, which its threads keep in registers: a row is read once, and the variance is summed up from
// centered values, as the difference of two large sums would keep few digits.
constexpr int kOwn = 8;  // channels of a thread
constexpr int kMostThreads = 512;
constexpr std::int64_t kMostBackwardBlocks = 1024;  // several for each multiprocessor of any GPU

int threads_of(std::int64_t channels) {
  const std::int64_t threads = (channels + kOwn - 1) / kOwn;
  return static_cast<int>((threads + kWarp - 1) / kWarp * kWarp);
}

std::int64_t backward_blocks(const GpuNorm& norm) { return std::min(norm.samples, kMostBackwardBlocks); }

// Calls body(k, channel) for the thread's channels.
template <class Body>
__device__ void each_channel(std::int64_t channels, const Body& body) {
  const int count = static_cast<int>(channels);
  for (int k = 0; k < kOwn; ++k) {
    const int channel = static_cast<int>(k * blockDim.x + threadIdx.x);
    if (channel < count) body(k, channel);
  }
}

template <class To>
__global__ void __launch_bounds__(kMostThreads) layer_norm_kernel(GpuNorm norm, double epsilon, To* y) {
  __shared__ double scratch[kWarp];
  const std::int64_t row = blockIdx.x;
  const float* const x_row = norm.x + row * norm.channels;
  To* const y_row = y + row * norm.channels;
  const auto channels = static_cast<double>(norm.channels);
  float own[kOwn] = {};
  float sum = 0;
  each_channel(norm.channels, [&](int k, int channel) {
    own[k] = x_row[channel];
    sum += own[k];
  });
  const auto mean = static_cast<float>(reduce_block(static_cast<double>(sum), Sum(), scratch) / channels);
  float squares = 0;
  each_channel(norm.channels, [&](int k, int) {
    own[k] -= mean;
    squares += own[k] * own[k];
  });
  const double variance = reduce_block(static_cast<double>(squares), Sum(), scratch) / channels;
  const auto inverse = static_cast<float>(1 / ::sqrt(variance + epsilon));
  each_channel(norm.channels, [&](int k, int channel) {
    store(own[k] * (norm.scale[channel] * inverse) + norm.shift[channel], y_row + channel);
  });
  if (threadIdx.x != 0) return;
  norm.mean[row] = mean;
  norm.inverse_stddev[row] = inverse;
}

// A block takes rows in turn and keeps its threads' sums over them. parts (2, blocks, C): sums of dy * n and of dy,
// with n = (x - mean) * inverse_stddev. dx = inverse_stddev * (scale * dy - mean(scale * dy) - n * mean(scale * dy *
// n)).
__global__ void __launch_bounds__(kMostThreads)
    layer_norm_backward_kernel(GpuNorm norm, const float* dy, float* dx, float* parts) {
  __shared__ TwoSums scratch[kWarp];
  const auto channels = static_cast<double>(norm.channels);
  float dscale[kOwn] = {};
  float dshift[kOwn] = {};
  for (std::int64_t row = blockIdx.x; row < norm.samples; row += gridDim.x) {
    const float* const x_row = norm.x + row * norm.channels;
    const float* const dy_row = dy + row * norm.channels;
    const float mean = norm.mean[row];
    const float inverse = norm.inverse_stddev[row];
    float n[kOwn] = {};
    float dn[kOwn] = {};
    float sum = 0;
    float sum_n = 0;
    each_channel(norm.channels, [&](int k, int channel) {
      const float of_y = dy_row[channel];
      n[k] = (x_row[channel] - mean) * inverse;
      dn[k] = norm.scale[channel] * of_y;
      dscale[k] += of_y * n[k];
      dshift[k] += of_y;
      sum += dn[k];
      sum_n += dn[k] * n[k];
    });
    if (dx == nullptr) continue;
    const TwoSums sums = reduce_block(TwoSums{sum, sum_n}, Sum(), scratch);
    const auto offset = static_cast<float>(sums.first / channels);
    const auto slope = static_cast<float>(sums.second / channels);
    float* const dx_row = dx + row * norm.channels;
    each_channel(norm.channels,
                 [&](int k, int channel) { dx_row[channel] = inverse * (dn[k] - offset - n[k] * slope); });
  }
  float* const of_scale = parts + blockIdx.x * norm.channels;
  float* const of_shift = of_scale + gridDim.x * norm.channels;
  each_channel(norm.channels, [&](int k, int channel) {
    of_scale[channel] = dscale[k];
    of_shift[channel] = dshift[k];
  });
}

}  // namespace

bool is_layer_norm(const GpuNorm& norm) {
  return norm.positions == 1 && norm.groups == 1 && norm.channels <= std::int64_t{kOwn} * kMostThreads;
}

template <class To>
void layer_norm(const GpuNorm& norm, double epsilon, To* y, GpuStream stream) {
  launch(stream, {.blocks = norm.samples, .threads = threads_of(norm.channels)}, &layer_norm_kernel<To>, norm, epsilon,
         y);
}
template void layer_norm(const GpuNorm& norm, double epsilon, float* y, GpuStream stream);
template void layer_norm(const GpuNorm& norm, double epsilon, BFloat16* y, GpuStream stream);

std::int64_t layer_norm_backward_scratch(const GpuNorm& norm) {
  const std::int64_t blocks = backward_blocks(norm);
  return 2 * blocks * norm.channels + sum_columns_scratch(blocks, norm.channels);
}

void layer_norm_backward(const GpuNorm& norm, const GpuNormGradients& gradients, float* scratch, GpuStream stream) {
  const std::int64_t blocks = backward_blocks(norm);
  float* const parts_of_dshift = scratch + blocks * norm.channels;
  float* const rest = parts_of_dshift + blocks * norm.channels;
  launch(stream, {.blocks = blocks, .threads = threads_of(norm.channels)}, &layer_norm_backward_kernel, norm,
         gradients.dy, gradients.dx, scratch);
  sum_columns(scratch, gradients.dscale, blocks, norm.channels, rest, stream);
  sum_columns(parts_of_dshift, gradients.dshift, blocks, norm.channels, rest, stream);
}

}  // namespace lockstep

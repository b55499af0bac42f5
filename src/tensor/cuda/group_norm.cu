#include <cstdint>

#include <device_code.h>
#include "tensor/cuda/block_reduction.h"
#include "tensor/cuda/column_sums.h"
#include "tensor/cuda/element_types.h"
#include "tensor/cuda/norm_kernels.h"

namespace lockstep {
namespace {

// A group of an image is a few channels at every position, so neighbours in memory belong to different groups. Sums are
// therefore taken channel by channel over slices of positions, which reads whole lines of memory for any size of group;
// then the sums of slices and channels are folded into their groups.
Slices slices_of(const GpuNorm& norm) { return sliced(norm.samples, norm.positions, norm.channels); }

constexpr int kFoldThreads = 256;

// A warp for each group of a sample.
Grid fold_grid(const GpuNorm& norm) {
  constexpr std::int64_t kWarps = kFoldThreads / kWarp;
  return {.blocks = (norm.samples * norm.groups + kWarps - 1) / kWarps, .threads = kFoldThreads};
}

// Sums of x and of x^2, for mean and variance in one pass over x. In double the difference of the two sums has enough
// digits: squares of floats are exact, and for deviations of a millionth of the mean, a float's own limit, four are
// right.
struct MomentTerms {
  using Sum = double;
  static constexpr int kSums = 2;
  const float* x;
  std::int64_t channels;

  __device__ void add(const SlicePlace& place, std::int64_t row, double* sums) const {
    const auto value = static_cast<double>(x[row * channels + place.column]);
    sums[0] += value;
    sums[1] += value * value;
  }
};

// Sums of dy * n and of dy, with n = (x - mean) * inverse_stddev.
struct GradientTerms {
  using Sum = float;
  static constexpr int kSums = 2;
  GpuNorm norm;
  const float* dy;

  __device__ void add(const SlicePlace& place, std::int64_t row, float* sums) const {
    const std::int64_t group = place.sample * norm.groups + place.column / norm.width();
    const std::int64_t at = row * norm.channels + place.column;
    sums[0] += dy[at] * ((norm.x[at] - norm.mean[group]) * norm.inverse_stddev[group]);
    sums[1] += dy[at];
  }
};

struct GroupSums {
  double first = 0;
  double second = 0;
};

// Adds up the results of column_sums_kernel, sums (2, slices, channels), for one group, with factors (channels) unless
// that is null. Called by a warp, the same on all its threads.
template <class T>
__device__ GroupSums sums_of_group(const GpuNorm& norm, const Slices& slices, std::int64_t group, const T* sums,
                                   const float* factors) {
  const std::int64_t begin = group / norm.groups * slices.of_sample();  // slices
  const std::int64_t first_channel = group % norm.groups * norm.width();
  GroupSums own;
  for (std::int64_t i = threadIdx.x % kWarp; i < slices.of_sample() * norm.width(); i += kWarp) {
    const std::int64_t channel = first_channel + i % norm.width();
    const std::int64_t at = (begin + i / norm.width()) * norm.channels + channel;
    const double factor = factors == nullptr ? 1 : static_cast<double>(factors[channel]);
    own.first += factor * static_cast<double>(sums[at]);
    own.second += factor * static_cast<double>(sums[slices.count() * norm.channels + at]);
  }
  return {.first = reduce_warp(own.first, Sum()), .second = reduce_warp(own.second, Sum())};
}

__global__ void fold_moments_kernel(GpuNorm norm, Slices slices, double epsilon, const double* sums) {
  const std::int64_t group = first_index() / kWarp;
  if (group >= norm.samples * norm.groups) return;
  const auto elements = static_cast<double>(norm.positions * norm.width());
  const GroupSums all = sums_of_group(norm, slices, group, sums, nullptr);
  const double mean = all.first / elements;
  const double variance = all.second / elements - mean * mean;
  if (threadIdx.x % kWarp != 0) return;
  norm.mean[group] = static_cast<float>(mean);
  norm.inverse_stddev[group] = static_cast<float>(1 / ::sqrt((variance < 0 ? 0 : variance) + epsilon));
}

// means (2, samples, groups): of scale * dy * n and of scale * dy over each group.
__global__ void fold_gradients_kernel(GpuNorm norm, Slices slices, const float* sums, float* means) {
  const std::int64_t group = first_index() / kWarp;
  if (group >= norm.samples * norm.groups) return;
  const auto elements = static_cast<double>(norm.positions * norm.width());
  const GroupSums all = sums_of_group(norm, slices, group, sums, norm.scale);
  if (threadIdx.x % kWarp != 0) return;
  means[group] = static_cast<float>(all.first / elements);
  means[norm.samples * norm.groups + group] = static_cast<float>(all.second / elements);
}

template <class To>
__global__ void group_norm_kernel(GpuNorm norm, Slices slices, To* y) {
  const SlicePlace place = place_in(slices);
  if (place.column >= norm.channels) return;
  const std::int64_t group = place.sample * norm.groups + place.column / norm.width();
  const float mean = norm.mean[group];
  const float factor = norm.inverse_stddev[group] * norm.scale[place.column];
  const float shift = norm.shift[place.column];
  for (std::int64_t row = place.first; row < place.end; row += place.stride) {
    const std::int64_t at = row * norm.channels + place.column;
    store((norm.x[at] - mean) * factor + shift, y + at);
  }
}

// dx = inverse_stddev * (scale * dy - mean(scale * dy) - n * mean(scale * dy * n))
__global__ void group_norm_backward_kernel(GpuNorm norm, Slices slices, const float* means, const float* dy,
                                           float* dx) {
  const SlicePlace place = place_in(slices);
  if (place.column >= norm.channels) return;
  const std::int64_t group = place.sample * norm.groups + place.column / norm.width();
  const float mean = norm.mean[group];
  const float inverse = norm.inverse_stddev[group];
  const float scale = norm.scale[place.column];
  const float slope = means[group];
  const float offset = means[norm.samples * norm.groups + group];
  for (std::int64_t row = place.first; row < place.end; row += place.stride) {
    const std::int64_t at = row * norm.channels + place.column;
    const float n = (norm.x[at] - mean) * inverse;
    dx[at] = inverse * (scale * dy[at] - offset - n * slope);
  }
}

}  // namespace

std::int64_t group_norm_scratch(const GpuNorm& norm) { return 2 * slices_of(norm).count() * norm.channels; }

template <class To>
void group_norm(const GpuNorm& norm, double epsilon, To* y, double* scratch, GpuStream stream) {
  const Slices slices = slices_of(norm);
  launch(stream, grid_of(slices), &column_sums_kernel<MomentTerms>, slices, MomentTerms{norm.x, norm.channels},
         scratch);
  launch(stream, fold_grid(norm), &fold_moments_kernel, norm, slices, epsilon, scratch);
  launch(stream, grid_of(slices), &group_norm_kernel<To>, norm, slices, y);
}
template void group_norm(const GpuNorm& norm, double epsilon, float* y, double* scratch, GpuStream stream);
template void group_norm(const GpuNorm& norm, double epsilon, BFloat16* y, double* scratch, GpuStream stream);

std::int64_t group_norm_backward_scratch(const GpuNorm& norm) {
  const std::int64_t slices = slices_of(norm).count();
  return 2 * slices * norm.channels + 2 * norm.samples * norm.groups + sum_columns_scratch(slices, norm.channels);
}

void group_norm_backward(const GpuNorm& norm, const GpuNormGradients& gradients, float* scratch, GpuStream stream) {
  const Slices slices = slices_of(norm);
  const std::int64_t rows = slices.count();
  float* const sums_of_dy = scratch + rows * norm.channels;
  float* const means = sums_of_dy + rows * norm.channels;
  float* const rest = means + 2 * norm.samples * norm.groups;
  launch(stream, grid_of(slices), &column_sums_kernel<GradientTerms>, slices, GradientTerms{norm, gradients.dy},
         scratch);
  sum_columns(scratch, gradients.dscale, rows, norm.channels, rest, stream);
  sum_columns(sums_of_dy, gradients.dshift, rows, norm.channels, rest, stream);
  if (gradients.dx == nullptr) return;
  launch(stream, fold_grid(norm), &fold_gradients_kernel, norm, slices, scratch, means);
  launch(stream, grid_of(slices), &group_norm_backward_kernel, norm, slices, means, gradients.dy, gradients.dx);
}

}  // namespace lockstep

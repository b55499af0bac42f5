#include <algorithm>

#include "tensor/cpu/layer_norm.h"
#include "tensor/cpu/norm_chunks.h"

namespace lockstep::cpu {
namespace {

// With n = (x - mean) * inverse_stddev of one sample: adds its share to dscale = sum of dy * n and to dshift = sum of
// dy, and computes for each group the means of scale * dy and of scale * dy * n.
template <class T>
LS_INLINE void backward_sums(const NormShape& shape, const Block& block, const T* x, const T* scale, const T* mean,
                             const T* inverse_stddev, const T* dy, T* dscale, T* dshift, Chunk<T>& mean_dn,
                             Chunk<T>& mean_dn_n) {
  Chunk<T> center;
  Chunk<T> factor;
  Chunk<T> sums;
  Chunk<T> sums_n;
  Chunk<double> totals;
  Chunk<double> totals_n;
  std::fill_n(totals.data(), block.last - block.first, 0.0);
  std::fill_n(totals_n.data(), block.last - block.first, 0.0);
  for (std::int64_t begin = block.begin(); begin < block.end(); begin += kChunk) {
    const std::int64_t count = std::min(kChunk, block.end() - begin);
    spread(mean, 0, begin, count, block.width, center);
    spread(inverse_stddev, 0, begin, count, block.width, factor);
    std::fill_n(sums.data(), count, T{0});
    std::fill_n(sums_n.data(), count, T{0});
    for (std::int64_t p = 0; p < shape.positions; ++p) {
      const T* x_row = x + p * shape.channels + begin;
      const T* dy_row = dy + p * shape.channels + begin;
      for (std::int64_t c = 0; c < count; ++c) {
        const auto i = static_cast<std::size_t>(c);
        sums[i] += dy_row[c];
        sums_n[i] += dy_row[c] * ((x_row[c] - center[i]) * factor[i]);
      }
    }
    for (std::int64_t c = 0; c < count; ++c) {
      const auto i = static_cast<std::size_t>(c);
      dshift[begin + c] += sums[i];
      dscale[begin + c] += sums_n[i];
      sums[i] *= scale[begin + c];
      sums_n[i] *= scale[begin + c];
    }
    fold(sums, begin, count, block, totals);
    fold(sums_n, begin, count, block, totals_n);
  }
  const auto elements = static_cast<double>(shape.positions * block.width);
  for (std::int64_t g = 0; g < block.last - block.first; ++g) {
    const auto i = static_cast<std::size_t>(g);
    mean_dn[i] = static_cast<T>(totals[i] / elements);
    mean_dn_n[i] = static_cast<T>(totals_n[i] / elements);
  }
}

// dx = inverse_stddev * (scale * dy - mean(scale * dy) - n * mean(scale * dy * n)), means over the group.
template <class T>
LS_INLINE void backward_input(const NormShape& shape, const Block& block, const T* x, const T* scale, const T* mean,
                              const T* inverse_stddev, const T* dy, T* dx, const Chunk<T>& mean_dn,
                              const Chunk<T>& mean_dn_n) {
  Chunk<T> center;
  Chunk<T> factor;
  Chunk<T> offset;
  Chunk<T> slope;
  for (std::int64_t begin = block.begin(); begin < block.end(); begin += kChunk) {
    const std::int64_t count = std::min(kChunk, block.end() - begin);
    spread(mean, 0, begin, count, block.width, center);
    spread(inverse_stddev, 0, begin, count, block.width, factor);
    spread(mean_dn.data(), block.first, begin, count, block.width, offset);
    spread(mean_dn_n.data(), block.first, begin, count, block.width, slope);
    for (std::int64_t p = 0; p < shape.positions; ++p) {
      const T* x_row = x + p * shape.channels + begin;
      const T* dy_row = dy + p * shape.channels + begin;
      T* dx_row = dx + p * shape.channels + begin;
      LS_INDEPENDENT_LOOP
      for (std::int64_t c = 0; c < count; ++c) {
        const auto i = static_cast<std::size_t>(c);
        const T n = (x_row[c] - center[i]) * factor[i];
        dx_row[c] = factor[i] * (scale[begin + c] * dy_row[c] - offset[i] - n * slope[i]);
      }
    }
  }
}

template <class T>
LS_INLINE void normalize_backward_any(const NormShape& shape, const T* x, const T* scale, const T* mean,
                                      const T* inverse_stddev, const T* dy, T* dx, T* dscale, T* dshift) {
  std::fill_n(dscale, shape.channels, T{0});
  std::fill_n(dshift, shape.channels, T{0});
  const std::int64_t sample = shape.positions * shape.channels;
  Chunk<T> mean_dn;
  Chunk<T> mean_dn_n;
  for (std::int64_t m = 0; m < shape.samples; ++m) {
    const T* const mean_of = mean + m * shape.groups;
    const T* const inverse_of = inverse_stddev + m * shape.groups;
    for (std::int64_t g = 0; g < shape.groups;) {
      const Block block = block_from(g, shape);
      backward_sums(shape, block, x + m * sample, scale, mean_of, inverse_of, dy + m * sample, dscale, dshift, mean_dn,
                    mean_dn_n);
      if (dx != nullptr) {
        backward_input(shape, block, x + m * sample, scale, mean_of, inverse_of, dy + m * sample, dx + m * sample,
                       mean_dn, mean_dn_n);
      }
      g = block.last;
    }
  }
}

LS_MULTIVERSION void normalize_groups_backward(const NormShape& shape, const float* x, const float* scale,
                                               const float* mean, const float* inverse_stddev, const float* dy,
                                               float* dx, float* dscale, float* dshift) {
  normalize_backward_any(shape, x, scale, mean, inverse_stddev, dy, dx, dscale, dshift);
}

}  // namespace

void normalize_backward(const NormShape& shape, const float* x, const float* scale, const float* mean,
                        const float* inverse_stddev, const float* dy, float* dx, float* dscale, float* dshift) {
  if (shape.is_rows()) {
    return layer_norm_backward(shape.samples, shape.channels, x, scale, mean, inverse_stddev, dy, dx, dscale, dshift);
  }
  normalize_groups_backward(shape, x, scale, mean, inverse_stddev, dy, dx, dscale, dshift);
}
void normalize_backward(const NormShape& shape, const double* x, const double* scale, const double* mean,
                        const double* inverse_stddev, const double* dy, double* dx, double* dscale, double* dshift) {
  normalize_backward_any(shape, x, scale, mean, inverse_stddev, dy, dx, dscale, dshift);
}

}  // namespace lockstep::cpu

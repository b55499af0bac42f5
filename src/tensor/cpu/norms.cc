#include <algorithm>
#include <cmath>

#include "tensor/cpu/layer_norm.h"
#include "tensor/cpu/norm_chunks.h"
#include "tensor/cpu/rounded_to.h"

namespace lockstep::cpu {
namespace {

// mean (groups): of one sample's x (positions, channels).
template <class T>
LS_INLINE void means(const NormShape& shape, const Block& block, const T* x, T* mean) {
  Chunk<T> sums;
  Chunk<double> totals;
  std::fill_n(totals.data(), block.last - block.first, 0.0);
  for (std::int64_t begin = block.begin(); begin < block.end(); begin += kChunk) {
    const std::int64_t count = std::min(kChunk, block.end() - begin);
    std::fill_n(sums.data(), count, T{0});
    for (std::int64_t p = 0; p < shape.positions; ++p) {
      const T* row = x + p * shape.channels + begin;
      for (std::int64_t c = 0; c < count; ++c) sums[static_cast<std::size_t>(c)] += row[c];
    }
    fold(sums, begin, count, block, totals);
  }
  const auto elements = static_cast<double>(shape.positions * block.width);
  for (std::int64_t g = block.first; g < block.last; ++g) {
    mean[g] = static_cast<T>(totals[static_cast<std::size_t>(g - block.first)] / elements);
  }
}

// variance = mean of (x - mean)^2: a second pass, because the difference of two large sums would keep few digits.
template <class T>
LS_INLINE void inverse_stddevs(const NormShape& shape, const Block& block, double epsilon, const T* x, const T* mean,
                               T* inverse_stddev) {
  Chunk<T> center;
  Chunk<T> squares;
  Chunk<double> totals;
  std::fill_n(totals.data(), block.last - block.first, 0.0);
  for (std::int64_t begin = block.begin(); begin < block.end(); begin += kChunk) {
    const std::int64_t count = std::min(kChunk, block.end() - begin);
    spread(mean, 0, begin, count, block.width, center);
    std::fill_n(squares.data(), count, T{0});
    for (std::int64_t p = 0; p < shape.positions; ++p) {
      const T* row = x + p * shape.channels + begin;
      for (std::int64_t c = 0; c < count; ++c) {
        const T centered = row[c] - center[static_cast<std::size_t>(c)];
        squares[static_cast<std::size_t>(c)] += centered * centered;
      }
    }
    fold(squares, begin, count, block, totals);
  }
  const auto elements = static_cast<double>(shape.positions * block.width);
  for (std::int64_t g = block.first; g < block.last; ++g) {
    const double variance = totals[static_cast<std::size_t>(g - block.first)] / elements;
    inverse_stddev[g] = static_cast<T>(1 / std::sqrt(variance + epsilon));
  }
}

template <class T, class To>
LS_INLINE void write_normalized(const NormShape& shape, const Block& block, const T* x, const T* scale, const T* shift,
                                To* y, const T* mean, const T* inverse_stddev) {
  Chunk<T> center;
  Chunk<T> factor;
  for (std::int64_t begin = block.begin(); begin < block.end(); begin += kChunk) {
    const std::int64_t count = std::min(kChunk, block.end() - begin);
    spread(mean, 0, begin, count, block.width, center);
    spread(inverse_stddev, 0, begin, count, block.width, factor);
    for (std::int64_t c = 0; c < count; ++c) factor[static_cast<std::size_t>(c)] *= scale[begin + c];
    for (std::int64_t p = 0; p < shape.positions; ++p) {
      const T* __restrict from = x + p * shape.channels + begin;
      To* __restrict to = y + p * shape.channels + begin;
      for (std::int64_t c = 0; c < count; ++c) {
        const auto i = static_cast<std::size_t>(c);
        to[c] = rounded_to<To>((from[c] - center[i]) * factor[i] + shift[begin + c]);
      }
    }
  }
}

template <class T, class To>
LS_INLINE void normalize_any(const NormShape& shape, double epsilon, const T* x, const T* scale, const T* shift, To* y,
                             T* mean, T* inverse_stddev) {
  const std::int64_t sample = shape.positions * shape.channels;
  for (std::int64_t m = 0; m < shape.samples; ++m) {
    for (std::int64_t g = 0; g < shape.groups;) {
      const Block block = block_from(g, shape);
      T* const mean_of = mean + m * shape.groups;
      T* const inverse_of = inverse_stddev + m * shape.groups;
      means(shape, block, x + m * sample, mean_of);
      inverse_stddevs(shape, block, epsilon, x + m * sample, mean_of, inverse_of);
      write_normalized(shape, block, x + m * sample, scale, shift, y + m * sample, mean_of, inverse_of);
      g = block.last;
    }
  }
}

template <class T>
LS_INLINE void standardize_any(const T* x, const T* mean, const T* stddev, T* y, std::int64_t rows,
                               std::int64_t channels) {
  if (channels == 1) {  // one vector over all of it instead of rows of one
    for (std::int64_t i = 0; i < rows; ++i) y[i] = (x[i] - *mean) / *stddev;
    return;
  }
  for (std::int64_t i = 0; i < rows * channels; i += channels) {
    for (std::int64_t c = 0; c < channels; ++c) y[i + c] = (x[i + c] - mean[c]) / stddev[c];
  }
}

LS_MULTIVERSION void normalize_groups(const NormShape& shape, double epsilon, const float* x, const float* scale,
                                      const float* shift, float* y, float* mean, float* inverse_stddev) {
  normalize_any(shape, epsilon, x, scale, shift, y, mean, inverse_stddev);
}
LS_MULTIVERSION void normalize_groups(const NormShape& shape, double epsilon, const float* x, const float* scale,
                                      const float* shift, BFloat16* y, float* mean, float* inverse_stddev) {
  normalize_any(shape, epsilon, x, scale, shift, y, mean, inverse_stddev);
}

template <class To>
void normalize_floats(const NormShape& shape, double epsilon, const float* x, const float* scale, const float* shift,
                      To* y, float* mean, float* inverse_stddev) {
  if (shape.is_rows()) {
    return layer_norm(shape.samples, shape.channels, epsilon, x, scale, shift, y, mean, inverse_stddev);
  }
  normalize_groups(shape, epsilon, x, scale, shift, y, mean, inverse_stddev);
}

}  // namespace

void normalize(const NormShape& shape, double epsilon, const float* x, const float* scale, const float* shift, float* y,
               float* mean, float* inverse_stddev) {
  normalize_floats(shape, epsilon, x, scale, shift, y, mean, inverse_stddev);
}
void normalize(const NormShape& shape, double epsilon, const float* x, const float* scale, const float* shift,
               BFloat16* y, float* mean, float* inverse_stddev) {
  normalize_floats(shape, epsilon, x, scale, shift, y, mean, inverse_stddev);
}
void normalize(const NormShape& shape, double epsilon, const double* x, const double* scale, const double* shift,
               double* y, double* mean, double* inverse_stddev) {
  normalize_any(shape, epsilon, x, scale, shift, y, mean, inverse_stddev);
}

LS_MULTIVERSION void standardize(const float* x, const float* mean, const float* stddev, float* y, std::int64_t rows,
                                 std::int64_t channels) {
  standardize_any(x, mean, stddev, y, rows, channels);
}
void standardize(const double* x, const double* mean, const double* stddev, double* y, std::int64_t rows,
                 std::int64_t channels) {
  standardize_any(x, mean, stddev, y, rows, channels);
}

}  // namespace lockstep::cpu

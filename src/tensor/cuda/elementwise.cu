#include <cstdint>
#include <string>

#include <device_code.h>
#include "tensor/cuda/cuda_backend.h"
#include "tensor/cuda/device_data.h"
#include "tensor/cuda/each_element.h"
#include "tensor/cuda/element_types.h"
#include "tensor/half_types.h"

namespace lockstep {
namespace {

struct Addition {
  struct Operands {
    float a;
    float b;
  };
  __device__ Operands load(std::int64_t i) const { return {a[i], b[i]}; }
  __device__ void store(std::int64_t i, const Operands& of) const { sum[i] = of.a + of.b; }

  const float* a;
  const float* b;
  float* sum;
};

struct Scaling {
  __device__ float load(std::int64_t i) const { return values[i]; }
  __device__ void store(std::int64_t i, float value) const { values[i] = value * factor; }

  float* values;
  float factor;
};

struct Blend {
  struct Operands {
    float from;
    float to;
  };
  __device__ Operands load(std::int64_t i) const { return {from[i], to[i]}; }
  __device__ void store(std::int64_t i, const Operands& of) const { to[i] = of.to + weight * (of.from - of.to); }

  const float* from;
  float* to;
  float weight;
};

template <class From, class To>
struct Conversion {
  __device__ float load(std::int64_t i) const { return as_float(from[i]); }
  __device__ void store(std::int64_t i, float value) const { to[i] = rounded_to<To>(value); }

  const From* from;
  To* to;
};

template <class From, class To>
void launch_conversion(GpuStream stream, const Tensor& from, const Tensor& to) {
  launch_each(stream, Conversion<From, To>{data_of<From>(from), data_of<To>(to)}, to.count());
}

struct ColumnCopy {
  __device__ float load(std::int64_t row, std::int64_t column) const { return from[row * from_width + column]; }
  __device__ void store(std::int64_t row, std::int64_t column, float value) const {
    to[row * to_width + column] = value;
  }

  const float* from;
  std::int64_t from_width;
  float* to;
  std::int64_t to_width;
};

struct Standardization {
  struct Operands {
    float x;
    float mean;
    float stddev;
  };
  __device__ Operands load(std::int64_t row, std::int64_t channel) const {
    return {x[row * channels + channel], mean[channel], stddev[channel]};
  }
  __device__ void store(std::int64_t row, std::int64_t channel, const Operands& of) const {
    y[row * channels + channel] = (of.x - of.mean) / of.stddev;
  }

  const float* x;
  const float* mean;
  const float* stddev;
  float* y;
  std::int64_t channels;
};

}  // namespace

void CudaBackend::add(const Tensor& from, const Tensor& to) { add(to, from, to); }

void CudaBackend::add(const Tensor& a, const Tensor& b, const Tensor& sum) {
  begin({a, b, sum});
  LS_CHECK(a.count() == sum.count() && b.count() == sum.count(), "a sum of unlike tensors");
  launch_each(stream_, Addition{data_of<float>(a), data_of<float>(b), data_of<float>(sum)}, sum.count());
}

void CudaBackend::scale(const Tensor& values, double factor) {
  begin({values});
  launch_each(stream_, Scaling{data_of<float>(values), static_cast<float>(factor)}, values.count());
}

void CudaBackend::blend(const Tensor& from, const Tensor& to, double weight) {
  begin({from, to});
  LS_CHECK(from.count() == to.count(), "a blend of unlike tensors");
  launch_each(stream_, Blend{data_of<float>(from), data_of<float>(to), static_cast<float>(weight)}, to.count());
}

void CudaBackend::convert(const Tensor& from, const Tensor& to) {
  begin({from, to});
  LS_CHECK(from.count() == to.count(), "a conversion of unlike tensors");
  if (from.dtype() == DType::bfloat16) return launch_conversion<BFloat16, float>(stream_, from, to);
  if (from.dtype() == DType::float16) return launch_conversion<Float16, float>(stream_, from, to);
  if (to.dtype() == DType::float16) return launch_conversion<float, Float16>(stream_, from, to);
  launch_conversion<float, BFloat16>(stream_, from, to);
}

void CudaBackend::copy_columns(const Tensor& from, std::int64_t from_column, const Tensor& to, std::int64_t to_column,
                               std::int64_t columns) {
  begin({from, to});
  const std::int64_t rows = to.shape()[0];
  const std::int64_t from_width = from.shape().without_front().elements();
  const std::int64_t to_width = to.shape().without_front().elements();
  LS_CHECK(from.shape()[0] == rows, "columns between unlike tensors");
  LS_CHECK(0 <= from_column && from_column + columns <= from_width && 0 <= to_column && columns >= 0 &&
               to_column + columns <= to_width,
           std::to_string(columns) + " columns from " + std::to_string(from_column) + " of " +
               std::to_string(from_width) + " to " + std::to_string(to_column) + " of " + std::to_string(to_width));
  if (rows == 0 || columns == 0) return;
  const ColumnCopy copy{.from = data_of<float>(from) + from_column,
                        .from_width = from_width,
                        .to = data_of<float>(to) + to_column,
                        .to_width = to_width};
  launch_each_in_rows(stream_, copy, rows, columns);
}

void CudaBackend::standardize(const Tensor& x, const Tensor& mean, const Tensor& stddev, const Tensor& y) {
  begin({x, mean, stddev, y});
  const std::int64_t channels = mean.count();
  LS_CHECK(channels > 0 && stddev.count() == channels && y.count() == x.count() && x.count() % channels == 0,
           "standardization of unlike tensors");
  const Standardization operation{.x = data_of<float>(x),
                                  .mean = data_of<float>(mean),
                                  .stddev = data_of<float>(stddev),
                                  .y = data_of<float>(y),
                                  .channels = channels};
  launch_each_in_rows(stream_, operation, x.count() / channels, channels);
}

}  // namespace lockstep

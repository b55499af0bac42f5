#include <fmt/format.h>

#include <cstdint>

#include "tensor/cuda/cuda_backend.h"
#include "tensor/cuda/device_data.h"
#include "tensor/cuda/norm_kernels.h"
#include "tensor/half_types.h"

namespace lockstep {
namespace {

// x (M, P, C), mean and inverse_stddev (M, G).
GpuNorm norm_of(const Tensor& x, const Tensor& scale, const Tensor& mean, const Tensor& inverse_stddev) {
  LS_CHECK(x.shape().rank() == 3 && mean.shape().rank() == 2 && x.shape()[0] == mean.shape()[0],
           fmt::format("a norm of {} with statistics {}", x.shape().text(), mean.shape().text()));
  const GpuNorm norm{.samples = x.shape()[0],
                     .positions = x.shape()[1],
                     .channels = x.shape()[2],
                     .groups = mean.shape()[1],
                     .x = data_of<float>(x),
                     .scale = data_of<float>(scale),
                     .mean = data_of<float>(mean),
                     .inverse_stddev = data_of<float>(inverse_stddev)};
  LS_CHECK(norm.groups > 0 && norm.channels > 0 && norm.channels % norm.groups == 0,
           fmt::format("{} channels in {} groups", norm.channels, norm.groups));
  LS_CHECK(inverse_stddev.count() == mean.count() && scale.count() == norm.channels, "a norm of unlike tensors");
  return norm;
}

}  // namespace

void CudaBackend::normalize(double epsilon, const Tensor& x, const Tensor& scale, const Tensor& shift, const Tensor& y,
                            const Tensor& mean, const Tensor& inverse_stddev) {
  begin({x, scale, shift, y, mean, inverse_stddev});
  GpuNorm norm = norm_of(x, scale, mean, inverse_stddev);
  LS_CHECK(y.count() == x.count() && shift.count() == norm.channels, "a norm of unlike tensors");
  norm.shift = data_of<float>(shift);
  const auto run = [&]<class To>(To* to) {
    if (is_layer_norm(norm)) return layer_norm(norm, epsilon, to, stream_);
    const auto bytes = static_cast<std::size_t>(group_norm_scratch(norm)) * sizeof(double);
    group_norm(norm, epsilon, to, static_cast<double*>(scratch(bytes)), stream_);
  };
  if (y.dtype() == DType::bfloat16) {
    run(data_of<BFloat16>(y));
  } else {
    run(data_of<float>(y));
  }
}

void CudaBackend::normalize_backward(const Tensor& x, const Tensor& scale, const Tensor& mean,
                                     const Tensor& inverse_stddev, const Tensor& dy, const Tensor& dx,
                                     const Tensor& dscale, const Tensor& dshift) {
  begin({x, scale, mean, inverse_stddev, dy, dx, dscale, dshift});
  const GpuNorm norm = norm_of(x, scale, mean, inverse_stddev);
  LS_CHECK(dy.count() == x.count() && (dx.empty() || dx.count() == x.count()) && dscale.count() == norm.channels &&
               dshift.count() == norm.channels,
           "a norm's gradient of unlike tensors");
  const GpuNormGradients gradients{.dy = data_of<float>(dy),
                                   .dx = optional_data_of<float>(dx),
                                   .dscale = data_of<float>(dscale),
                                   .dshift = data_of<float>(dshift)};
  const bool rows = is_layer_norm(norm);
  const std::int64_t floats = rows ? layer_norm_backward_scratch(norm) : group_norm_backward_scratch(norm);
  auto* const memory = static_cast<float*>(scratch(static_cast<std::size_t>(floats) * sizeof(float)));
  if (rows) return layer_norm_backward(norm, gradients, memory, stream_);
  group_norm_backward(norm, gradients, memory, stream_);
}

}  // namespace lockstep

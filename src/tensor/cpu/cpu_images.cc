#include "tensor/cpu/convolution.h"
#include "tensor/cpu/cpu_backend.h"
#include "tensor/cpu/dispatch_dtype.h"
#include "tensor/cpu/pooling.h"

namespace lockstep {
namespace {

// The extents of x, kernel and y, or of their gradients, checked against each other.
cpu::ConvolutionShape convolution_shape(const WindowForm& window, const Tensor& x, const Tensor& kernel,
                                        const Tensor& y) {
  const Shape& in = x.shape();
  const Shape& weights = kernel.shape();
  const Shape& out = y.shape();
  LS_CHECK(in.rank() == 4 && weights.rank() == 4 && out.rank() == 4 && in[0] == out[0] && weights[2] == in[3] &&
               weights[3] == out[3] && weights[0] == window.height && weights[1] == window.width,
           "a convolution of " + in.text() + " by " + weights.text() + " into " + out.text());
  return {.window = window,
          .batch = in[0],
          .height = in[1],
          .width = in[2],
          .channels = in[3],
          .out_height = out[1],
          .out_width = out[2],
          .filters = out[3]};
}

cpu::PoolingShape pooling_shape(Pooling pooling, const WindowForm& window, const Tensor& x, const Tensor& y) {
  const Shape& in = x.shape();
  const Shape& out = y.shape();
  LS_CHECK(in.rank() == 4 && out.rank() == 4 && in[0] == out[0] && in[3] == out[3],
           "pooling of " + in.text() + " into " + out.text());
  return {.pooling = pooling,
          .window = window,
          .batch = in[0],
          .height = in[1],
          .width = in[2],
          .channels = in[3],
          .out_height = out[1],
          .out_width = out[2]};
}

}  // namespace

void CpuBackend::convolve(const WindowForm& window, const Tensor& x, const Tensor& kernel, const Tensor& bias,
                          const Tensor& y) {
  const cpu::ConvolutionShape shape = convolution_shape(window, x, kernel, y);
  LS_CHECK(bias.count() == shape.filters, "a convolution's bias of another size");
  if (y.count() == 0) return;
  if (y.dtype() == DType::float64) {
    return cpu::convolve(shape, x.as<double>(), kernel.as<double>(), bias.as<double>(), y.as<double>());
  }
  convolutions_->forward(shape, x.as<float>(), kernel.as<float>(), bias.as<float>(), y.as<float>());
}

void CpuBackend::convolve_backward_input(const WindowForm& window, const Tensor& dy, const Tensor& kernel,
                                         const Tensor& dx) {
  const cpu::ConvolutionShape shape = convolution_shape(window, dx, kernel, dy);
  if (dx.count() == 0) return;
  if (dx.dtype() == DType::float64) {
    return cpu::convolve_backward_input(shape, dy.as<double>(), kernel.as<double>(), dx.as<double>());
  }
  convolutions_->backward_input(shape, dy.as<float>(), kernel.as<float>(), dx.as<float>());
}

void CpuBackend::convolve_backward_kernel(const WindowForm& window, const Tensor& x, const Tensor& dy,
                                          const Tensor& dkernel, const Tensor& dbias) {
  const cpu::ConvolutionShape shape = convolution_shape(window, x, dkernel, dy);
  LS_CHECK(dbias.count() == shape.filters, "a convolution's bias gradient of another size");
  if (dy.count() == 0) {
    fill(dkernel, 0);
    fill(dbias, 0);
    return;
  }
  if (dkernel.dtype() == DType::float64) {
    return cpu::convolve_backward_kernel(shape, x.as<double>(), dy.as<double>(), dkernel.as<double>(),
                                         dbias.as<double>());
  }
  convolutions_->backward_kernel(shape, x.as<float>(), dy.as<float>(), dkernel.as<float>(), dbias.as<float>());
}

void CpuBackend::pool(Pooling pooling, const WindowForm& window, const Tensor& x, const Tensor& y) {
  const cpu::PoolingShape shape = pooling_shape(pooling, window, x, y);
  on_type(y, [&]<class T>(T* out) { cpu::pool(shape, x.as<T>(), out); });
}

void CpuBackend::pool_backward(Pooling pooling, const WindowForm& window, const Tensor& x, const Tensor& y,
                               const Tensor& dy, const Tensor& dx) {
  const cpu::PoolingShape shape = pooling_shape(pooling, window, dx, dy);
  LS_CHECK(x.count() == dx.count() && y.count() == dy.count(), "a pooling's gradient of unlike tensors");
  on_type(dx, [&]<class T>(T* out) { cpu::pool_backward(shape, x.as<T>(), y.as<T>(), dy.as<T>(), out); });
}

}  // namespace lockstep

#include <algorithm>
#include <cstring>
#include <vector>

#include "support/gpu/fake_gpu.h"
#include "support/gpu/fake_stream.h"
#include "tensor/cpu/cpu_backend.h"
#include "tensor/cuda/gpu_convolutions.h"

namespace lockstep {
namespace gpu_stand_in {
namespace {

bool has_cudnn = false;

}  // namespace

void have_cudnn(bool has) { has_cudnn = has; }

}  // namespace gpu_stand_in

namespace {

constexpr std::size_t kWorkspace = 1000;

// Transposes a (rows, columns) matrix.
void transpose(const float* from, std::int64_t rows, std::int64_t columns, float* to) {
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t j = 0; j < columns; ++j) to[j * rows + i] = from[i * columns + j];
  }
}

void convolve(Backend& backend, const GpuConvolution& of, const ConvolutionOperands& operands) {
  const SlidingAxis& rows = of.window.rows;
  const SlidingAxis& columns = of.window.columns;
  const WindowForm window{.height = rows.window,
                          .width = columns.window,
                          .stride_y = rows.stride,
                          .stride_x = columns.stride,
                          .top = rows.before,
                          .left = columns.before};
  const Tensor x(operands.images, DType::float32, {of.window.batch, rows.pixels, columns.pixels, of.window.channels});
  const Tensor y(operands.outputs, DType::float32, {of.window.batch, rows.outputs, columns.outputs, of.filters});
  const std::int64_t depth = std::int64_t{rows.window} * columns.window * of.window.channels;
  std::vector<float> values(static_cast<std::size_t>(depth * of.filters));
  const Tensor kernel(values.data(), DType::float32, {rows.window, columns.window, of.window.channels, of.filters});
  std::vector<float> zeros(static_cast<std::size_t>(of.filters));
  const Tensor bias(zeros.data(), DType::float32, {of.filters});

  std::memset(operands.workspace, 0xff, kWorkspace);  // its content is undefined
  switch (of.pass) {
    case ConvolutionPass::forward:
      transpose(operands.filters, of.filters, depth, values.data());
      return backend.convolve(window, x, kernel, bias, y);
    case ConvolutionPass::backward_input:
      transpose(operands.filters, of.filters, depth, values.data());
      return backend.convolve_backward_input(window, y, kernel, x);
    case ConvolutionPass::backward_kernel:
      backend.convolve_backward_kernel(window, x, y, kernel, bias);
      return transpose(values.data(), depth, of.filters, operands.filters);
  }
}

}  // namespace

struct GpuConvolutions::Parts {
  CpuBackend backend;  // used by one stream's thread
};

GpuConvolutions::GpuConvolutions() : parts_(std::make_unique<Parts>()) {}
GpuConvolutions::~GpuConvolutions() = default;

std::string GpuConvolutions::library() const { return gpu_stand_in::has_cudnn ? "a fake cuDNN" : ""; }

std::optional<std::size_t> GpuConvolutions::workspace(const GpuConvolution& /*convolution*/) {
  if (!gpu_stand_in::has_cudnn) return {};
  return kWorkspace;
}

bool GpuConvolutions::run(const GpuConvolution& convolution, const ConvolutionOperands& operands, GpuStream stream) {
  gpu_stand_in::submit(
      stream, [&backend = parts_->backend, convolution, operands] { convolve(backend, convolution, operands); });
  return true;
}

}  // namespace lockstep

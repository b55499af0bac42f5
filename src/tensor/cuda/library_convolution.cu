#include <cstdint>
#include <limits>
#include <optional>

#include <device_code.h>
#include "tensor/cuda/cuda_backend.h"
#include "tensor/cuda/device_data.h"
#include "tensor/cuda/each_element.h"

// Convolutions by a library, whose filters are (F, KH, KW, C) where ours are (KH, KW, C, F): it gets the transposes of
// these matrices, which have a column for each filter.
namespace lockstep {
namespace {

// to (columns, rows) = from (rows, columns), transposed: a block for each square of 32, which goes through shared
// memory so that reads and writes are of neighbours. The square has one column more, so that a column's values lie in
// all banks.
__global__ void transpose_kernel(const float* from, std::int64_t rows, std::int64_t columns, float* to) {
  __shared__ float square[kWarp][kWarp + 1];
  const std::int64_t across = (columns + kWarp - 1) / kWarp;
  const std::int64_t top = blockIdx.x / across * kWarp;
  const std::int64_t left = blockIdx.x % across * kWarp;
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  const int warp = static_cast<int>(threadIdx.x) / kWarp;
  const int warps = static_cast<int>(blockDim.x) / kWarp;
  for (int i = warp; i < kWarp && top + i < rows; i += warps) {
    if (left + lane < columns) square[i][lane] = from[(top + i) * columns + left + lane];
  }
  __syncthreads();
  for (int j = warp; j < kWarp && left + j < columns; j += warps) {
    if (top + lane < rows) to[(left + j) * rows + top + lane] = square[lane][j];
  }
}

void transpose(GpuStream stream, const float* from, std::int64_t rows, std::int64_t columns, float* to) {
  constexpr int kThreads = 256;
  const std::int64_t squares = (rows + kWarp - 1) / kWarp * ((columns + kWarp - 1) / kWarp);
  launch(stream, {.blocks = squares, .threads = kThreads}, &transpose_kernel, from, rows, columns, to);
}

struct RowAdded {
  struct Operands {
    float value;
    float of_row;
  };
  __device__ Operands load(std::int64_t i, std::int64_t j) const { return {matrix[i * columns + j], row[j]}; }
  __device__ void store(std::int64_t i, std::int64_t j, const Operands& of) const {
    matrix[i * columns + j] = of.value + of.of_row;
  }

  float* matrix;
  const float* row;
  std::int64_t columns;
};

bool fits(const Tensor& tensor) { return 0 < tensor.count() && tensor.count() < std::numeric_limits<int>::max(); }

}  // namespace

bool CudaBackend::convolve_by_library(ConvolutionPass pass, const SlidingWindow& window, const Tensor& x,
                                      const Tensor& kernel, const Tensor& y) {
  if (!window.pads_evenly() || !fits(x) || !fits(kernel) || !fits(y)) return false;
  const std::int64_t filters = kernel.shape()[3];
  const std::int64_t depth = kernel.count() / filters;
  const GpuConvolution convolution{
      .pass = pass, .window = window, .filters = static_cast<int>(filters), .products = float32_products_};
  const std::optional<std::size_t> workspace = convolutions_.workspace(convolution);
  if (!workspace) return false;
  constexpr std::size_t kAlignment = 256;
  const std::size_t filter_bytes = (kernel.bytes() + kAlignment - 1) / kAlignment * kAlignment;
  auto* const memory = static_cast<unsigned char*>(scratch(filter_bytes + *workspace));
  auto* const transposed = reinterpret_cast<float*>(memory);
  auto* const own = data_of<float>(kernel);
  const bool writes_kernel = pass == ConvolutionPass::backward_kernel;
  if (!writes_kernel) transpose(stream_, own, depth, filters, transposed);
  const ConvolutionOperands operands{.images = data_of<float>(x),
                                     .filters = transposed,
                                     .outputs = data_of<float>(y),
                                     .workspace = memory + filter_bytes};
  if (!convolutions_.run(convolution, operands, stream_)) return false;
  if (writes_kernel) transpose(stream_, transposed, filters, depth, own);
  return true;
}

void CudaBackend::add_to_rows(const Tensor& row, const Tensor& matrix) {
  const std::int64_t columns = row.count();
  const RowAdded operation{data_of<float>(matrix), data_of<float>(row), columns};
  launch_each_in_rows(stream_, operation, matrix.count() / columns, columns);
}

}  // namespace lockstep

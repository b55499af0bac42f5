#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <device_code.h>
#include "tensor/cuda/block_reduction.h"
#include "tensor/cuda/column_sums.h"
#include "tensor/cuda/cuda_backend.h"
#include "tensor/cuda/device_data.h"

namespace lockstep {
namespace {

constexpr int kSquaresThreads = 256;

// A block for each chunk.
__global__ void sum_squares_kernel(const float* values, std::int64_t count, double* sums) {
  __shared__ double scratch[kWarp];
  const std::int64_t begin = blockIdx.x * kSquaresChunk;
  const std::int64_t end = begin + kSquaresChunk < count ? begin + kSquaresChunk : count;
  double sum = 0;
  for (std::int64_t i = begin + threadIdx.x; i < end; i += kSquaresThreads) {
    const auto value = static_cast<double>(values[i]);
    sum += value * value;  // the square of a finite float is a finite double
  }
  sum = reduce_block(sum, Sum(), scratch);
  if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}

// found (blocks): the first index of a block's that is infinite or NaN, or count.
__global__ void not_finite_kernel(const float* values, std::int64_t count, std::int64_t* found) {
  __shared__ std::int64_t scratch[kWarp];
  std::int64_t first = count;
  for (std::int64_t i = first_index(); i < count; i += index_stride()) {
    if (::fabsf(values[i]) <= std::numeric_limits<float>::max()) continue;
    first = i;
    break;
  }
  first = reduce_block(first, Minimum(), scratch);
  if (threadIdx.x == 0) found[blockIdx.x] = first;
}

}  // namespace

void CudaBackend::sum_rows(const Tensor& matrix, const Tensor& sums) {
  begin({matrix, sums});
  const std::int64_t rows = matrix.shape().rank() == 0 ? 1 : matrix.shape()[0];
  const std::int64_t columns = sums.count();
  LS_CHECK(matrix.count() == rows * columns,
           "sums " + sums.shape().text() + " of the rows of " + matrix.shape().text());
  auto* const memory =
      static_cast<float*>(scratch(static_cast<std::size_t>(sum_columns_scratch(rows, columns)) * sizeof(float)));
  if (matrix.dtype() == DType::bfloat16) {
    return sum_columns(data_of<BFloat16>(matrix), data_of<float>(sums), rows, columns, memory, stream_);
  }
  sum_columns(data_of<float>(matrix), data_of<float>(sums), rows, columns, memory, stream_);
}

void CudaBackend::sum_squares(const Tensor& values, const Tensor& sums) {
  begin({values, sums});
  LS_CHECK(sums.count() == (values.count() + kSquaresChunk - 1) / kSquaresChunk,
           std::to_string(sums.count()) + " sums of squares for " + std::to_string(values.count()) + " values");
  launch(stream_, {.blocks = sums.count(), .threads = kSquaresThreads}, &sum_squares_kernel, data_of<float>(values),
         values.count(), data_of<double>(sums));
}

std::int64_t CudaBackend::first_not_finite(const Tensor& values) {
  begin({values});
  const Grid grid = grid_of(values.count());
  std::vector<std::int64_t> found(static_cast<std::size_t>(grid.blocks));
  if (found.empty()) return -1;
  const std::size_t bytes = found.size() * sizeof(found[0]);
  auto* const memory = static_cast<std::int64_t*>(scratch(bytes));
  launch(stream_, grid, &not_finite_kernel, data_of<float>(values), values.count(), memory);
  copy_on_stream(found.data(), memory, bytes, stream_);
  synchronize_stream(stream_);
  const std::int64_t first = *std::min_element(found.begin(), found.end());
  return first == values.count() ? -1 : first;
}

}  // namespace lockstep

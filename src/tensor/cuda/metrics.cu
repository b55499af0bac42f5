#include <algorithm>
#include <cstdint>

#include <device_code.h>
#include "tensor/cuda/block_reduction.h"
#include "tensor/cuda/cuda_backend.h"
#include "tensor/cuda/device_data.h"
#include "tensor/cuda/sample_sums.h"

namespace lockstep {
namespace {

// A block for each row. in_top (rows): 1 if fewer than k logits come before the label's when they are sorted from the
// largest on, equal ones in their order; never if one is NaN.
__global__ void __launch_bounds__(kMostRowThreads)
    in_top_kernel(std::int64_t k, const float* logits, const std::int32_t* labels, std::int64_t classes,
                  double* in_top) {
  __shared__ std::int64_t scratch[kWarp];
  const float* const z = logits + blockIdx.x * classes;
  const std::int32_t label = labels[blockIdx.x];
  std::int64_t before = 0;
  for (std::int64_t j = threadIdx.x; j < classes; j += blockDim.x) {
    const bool is_nan = z[j] != z[j];
    if (is_nan) before += classes;
    if (z[j] > z[label] || (z[j] == z[label] && j < label)) ++before;
  }
  before = reduce_block(before, Sum(), scratch);
  if (threadIdx.x == 0) in_top[blockIdx.x] = before < k ? 1 : 0;
}

// A block for each row. errors (2, rows): the means over it of (prediction - target)^2 and |prediction - target|.
__global__ void __launch_bounds__(kMostRowThreads)
    row_errors_kernel(const float* predictions, const float* targets, std::int64_t rows, std::int64_t width,
                      double* errors) {
  __shared__ double scratch[kWarp];
  double squares = 0;
  double distances = 0;
  for (std::int64_t k = threadIdx.x; k < width; k += blockDim.x) {
    const std::int64_t i = blockIdx.x * width + k;
    const double difference = static_cast<double>(predictions[i]) - static_cast<double>(targets[i]);
    squares += difference * difference;
    distances += ::fabs(difference);
  }
  squares = reduce_block(squares, Sum(), scratch);
  distances = reduce_block(distances, Sum(), scratch);
  if (threadIdx.x != 0) return;
  errors[blockIdx.x] = squares / static_cast<double>(width);
  errors[rows + blockIdx.x] = distances / static_cast<double>(width);
}

}  // namespace

void CudaBackend::count_in_top(std::int64_t k, const Tensor& logits, const Tensor& labels, const Tensor& weights,
                               const Tensor& sum) {
  begin({logits, labels, weights, sum});
  check_samples(logits, weights, labels.count(), logits.shape()[0]);
  const std::int64_t rows = logits.shape()[0];
  const std::int64_t classes = logits.shape()[1];
  auto* const in_top = static_cast<double*>(scratch(static_cast<std::size_t>(rows) * sizeof(double)));
  launch(stream_, grid_of_rows(rows, classes), &in_top_kernel, std::min(k, classes), data_of<float>(logits),
         data_of<std::int32_t>(labels), classes, in_top);
  add_up_samples(in_top, data_of<float>(weights), data_of<double>(sum), 1, rows, stream_);
}

void CudaBackend::regression_errors(const Tensor& predictions, const Tensor& targets, const Tensor& weights,
                                    const Tensor& sums) {
  begin({predictions, targets, weights, sums});
  check_samples(predictions, weights, targets.count(), predictions.count());
  const std::int64_t rows = predictions.shape()[0];
  const std::int64_t width = predictions.shape()[1];
  auto* const errors = static_cast<double*>(scratch(static_cast<std::size_t>(2 * rows) * sizeof(double)));
  launch(stream_, grid_of_rows(rows, width), &row_errors_kernel, data_of<float>(predictions), data_of<float>(targets),
         rows, width, errors);
  add_up_samples(errors, data_of<float>(weights), data_of<double>(sums), 2, rows, stream_);
}

}  // namespace lockstep

#include <cstdint>

#include <device_code.h>
#include "tensor/cuda/block_reduction.h"
#include "tensor/cuda/cuda_backend.h"
#include "tensor/cuda/device_data.h"
#include "tensor/cuda/sample_sums.h"

namespace lockstep {
namespace {

struct SquaredLoss {
  const float* predictions;  // (rows, width)
  const float* targets;      // (rows, width)
  const float* weights;
  float* gradient;  // or null
  double* values;   // (kLossSums, rows): loss, 1, 0
  std::int64_t rows;
  std::int64_t width;
};

// A block for each row.
__global__ void __launch_bounds__(kMostRowThreads) squared_loss_kernel(SquaredLoss loss) {
  __shared__ double scratch[kWarp];
  const std::int64_t row = blockIdx.x;
  const float slope = 2 * loss.weights[row] / static_cast<float>(loss.width);
  double squares = 0;
  for (std::int64_t k = threadIdx.x; k < loss.width; k += blockDim.x) {
    const std::int64_t i = row * loss.width + k;
    const float difference = loss.predictions[i] - loss.targets[i];
    squares += static_cast<double>(difference) * static_cast<double>(difference);
    if (loss.gradient != nullptr) loss.gradient[i] = slope * difference;
  }
  squares = reduce_block(squares, Sum(), scratch);
  if (threadIdx.x != 0) return;
  loss.values[row] = squares / static_cast<double>(loss.width);
  loss.values[loss.rows + row] = 1;
  loss.values[2 * loss.rows + row] = 0;
}

}  // namespace

void CudaBackend::mean_squared_error(const Tensor& predictions, const Tensor& targets, const Tensor& weights,
                                     const Tensor& gradient, const Tensor& sums) {
  begin({predictions, targets, weights, gradient, sums});
  check_samples(predictions, weights, targets.count(), predictions.count());
  check_gradient(gradient, predictions);
  const std::int64_t rows = predictions.shape()[0];
  const SquaredLoss loss{
      .predictions = data_of<float>(predictions),
      .targets = data_of<float>(targets),
      .weights = data_of<float>(weights),
      .gradient = optional_data_of<float>(gradient),
      .values = static_cast<double*>(scratch(static_cast<std::size_t>(kLossSums * rows) * sizeof(double))),
      .rows = rows,
      .width = predictions.shape()[1]};
  launch(stream_, grid_of_rows(rows, loss.width), &squared_loss_kernel, loss);
  add_up_samples(loss.values, loss.weights, data_of<double>(sums), kLossSums, rows, stream_);
}

}  // namespace lockstep

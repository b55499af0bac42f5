#include <cstdint>
#include <limits>

#include <device_code.h>
#include "tensor/cuda/block_reduction.h"
#include "tensor/cuda/cuda_backend.h"
#include "tensor/cuda/device_data.h"
#include "tensor/cuda/sample_sums.h"

namespace lockstep {
namespace {

// A target t and 1 - t, each rounded once.
struct SigmoidTarget {
  float yes;
  float no;
};

struct SigmoidLoss {
  const float* logits;         // (rows, width)
  const float* numbers;        // (rows, width), or null
  const std::int32_t* labels;  // (rows), if numbers is null
  SigmoidTarget on;            // for the label
  SigmoidTarget off;           // for the others
  const float* weights;
  float* gradient;  // or null
  double* values;   // (kLossSums, rows): loss, 1, whether it is correct
  std::int64_t rows;
  std::int64_t width;

  __device__ SigmoidTarget target(std::int64_t row, std::int64_t k) const {
    if (numbers == nullptr) return k == labels[row] ? on : off;
    const float number = numbers[row * width + k];
    const bool is_probability = number >= 0 && number <= 1;
    const float target = is_probability ? number : std::numeric_limits<float>::quiet_NaN();
    return {.yes = target, .no = 1 - target};
  }
};

// A block for each row. For each output z with its target t, e = exp(-|z|), and u the target of the side that z is not
// on, 1 - t above 0 and t below:
// loss = log(1 + exp(z)) - t z = u |z| + log(1 + e), a sum of what is not negative;
// d loss / d z = sigmoid(z) - t = u - e / (1 + e) above 0, and e / (1 + e) - u below.
__global__ void __launch_bounds__(kMostRowThreads) sigmoid_loss_kernel(SigmoidLoss loss) {
  __shared__ float scratch[kWarp];
  __shared__ double wide_scratch[kWarp];
  __shared__ std::int64_t index_scratch[kWarp];
  const std::int64_t row = blockIdx.x;
  const float weight = loss.weights[row];
  double sum = 0;
  FirstLargest own;
  for (std::int64_t k = threadIdx.x; k < loss.width; k += blockDim.x) {
    const float z = loss.logits[row * loss.width + k];
    own.take(z, k);
    const SigmoidTarget target = loss.target(row, k);
    const float distance = ::fabsf(z);
    const float e = ::expf(-distance);
    const float unlikely = e / (1 + e);  // the probability of the other side
    const float of_other = z >= 0 ? target.no : target.yes;
    sum += static_cast<double>(of_other * distance + ::log1pf(e));
    if (loss.gradient == nullptr) continue;
    loss.gradient[row * loss.width + k] = weight * (z >= 0 ? of_other - unlikely : unlikely - of_other);
  }
  sum = reduce_block(sum, Sum(), wide_scratch);
  const FirstLargest largest = first_largest_of_block(own, scratch, index_scratch);
  if (threadIdx.x != 0) return;
  const bool has_nan = sum != sum;
  loss.values[row] = sum;
  loss.values[loss.rows + row] = 1;
  loss.values[2 * loss.rows + row] = loss.labels != nullptr && largest.index == loss.labels[row] && !has_nan ? 1 : 0;
}

SigmoidTarget target_of(double t) { return {.yes = static_cast<float>(t), .no = static_cast<float>(1 - t)}; }

}  // namespace

void CudaBackend::sigmoid_cross_entropy(double label_smoothing, const Tensor& logits, const Tensor& targets,
                                        const Tensor& weights, const Tensor& gradient, const Tensor& sums) {
  begin({logits, targets, weights, gradient, sums});
  const bool labeled = targets.dtype() == DType::int32;
  check_samples(logits, weights, targets.count(), labeled ? logits.shape()[0] : logits.count());
  check_gradient(gradient, logits);
  LS_CHECK(labeled || label_smoothing == 0, "label smoothing of targets that are no labels");
  const std::int64_t rows = logits.shape()[0];
  const std::int64_t width = logits.shape()[1];
  const double off = label_smoothing / static_cast<double>(width);
  const SigmoidLoss loss{
      .logits = data_of<float>(logits),
      .numbers = labeled ? nullptr : data_of<float>(targets),
      .labels = labeled ? data_of<std::int32_t>(targets) : nullptr,
      .on = target_of(1 - label_smoothing + off),
      .off = target_of(off),
      .weights = data_of<float>(weights),
      .gradient = optional_data_of<float>(gradient),
      .values = static_cast<double*>(scratch(static_cast<std::size_t>(kLossSums * rows) * sizeof(double))),
      .rows = rows,
      .width = width};
  launch(stream_, grid_of_rows(rows, width), &sigmoid_loss_kernel, loss);
  add_up_samples(loss.values, loss.weights, data_of<double>(sums), kLossSums, rows, stream_);
}

}  // namespace lockstep

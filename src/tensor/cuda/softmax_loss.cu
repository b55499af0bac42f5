#include <algorithm>
#include <cstdint>
#include <limits>
#include <type_traits>

#include <device_code.h>
#include "tensor/cuda/block_reduction.h"
#include "tensor/cuda/cuda_backend.h"
#include "tensor/cuda/device_data.h"
#include "tensor/cuda/element_types.h"
#include "tensor/cuda/sample_sums.h"

namespace lockstep {
namespace {

// With targets t_j = (1 - s) [j = label] + s / C for smoothing s, whose sum is 1:
// loss = log(sum_j exp(z_j)) - sum_j t_j z_j, with the largest logit taken out of both so that exp cannot overflow;
// d loss / d z_j = softmax_j - t_j.
struct SoftmaxLoss {
  const float* logits;  // (rows, classes)
  const std::int32_t* labels;
  const float* weights;
  double* values;  // (kLossSums, rows): loss, 1, whether it is correct
  std::int64_t rows;
  int classes;  // int, as are places in a row: wider ones leave no registers for a second block on a multiprocessor
  double on;    // added to it for the label's
  double off;   // the target of every class but for the label's
};

constexpr std::int64_t kMostClasses = 1 << 30;  // an index a few steps past the end of a row still fits an int
constexpr int kAtOnce = 4;                      // logits that a thread prefetches before it needs the first of them

__device__ inline int class_of_thread(int begin, int k) {
  return begin + k * static_cast<int>(blockDim.x) + static_cast<int>(threadIdx.x);
}

// Reads logits; beyond the row's end, logits of probability 0.
__device__ inline void read_logits(const float* z, int begin, int classes, float (&values)[kAtOnce]) {
  for (int k = 0; k < kAtOnce; ++k) {
    const int j = class_of_thread(begin, k);
    values[k] = j < classes ? z[j] : -std::numeric_limits<float>::infinity();
  }
}

// The sums of a row, on all threads of its block.
struct RowSums {
  FirstLargest largest;
  float total;  // sum of exp(z - largest)
  double sum;   // sum of z, if targets are smoothed
};

// Makes one pass over the row: a thread rescales its total when it meets a larger logit (Milakov and Gimelshein 2018,
// "Online normalizer calculation for softmax", algorithm 3).
__device__ inline RowSums sums_of_row(const SoftmaxLoss& loss, const float* z) {
  __shared__ float scratch[kWarp];
  __shared__ double wide_scratch[kWarp];
  __shared__ std::int64_t index_scratch[kWarp];
  FirstLargest own;
  float total = 0;
  double sum = 0;
  for (int begin = 0; begin < loss.classes; begin += kAtOnce * static_cast<int>(blockDim.x)) {
    float values[kAtOnce];
    read_logits(z, begin, loss.classes, values);
    const float before = own.value;
    for (int k = 0; k < kAtOnce; ++k) own.take(values[k], class_of_thread(begin, k));
    if (own.value > before) total *= ::expf(before - own.value);
    for (const float value : values) total += ::expf(value - own.value);
    if (loss.off == 0) continue;
    for (int k = 0; k < kAtOnce; ++k) {
      if (class_of_thread(begin, k) < loss.classes) sum += static_cast<double>(values[k]);
    }
  }
  const FirstLargest largest = first_largest_of_block(own, scratch, index_scratch);
  total = reduce_block(total * ::expf(own.value - largest.value), Sum(), scratch);
  if (loss.off != 0) sum = reduce_block(sum, Sum(), wide_scratch);
  return {.largest = largest, .total = total, .sum = sum};
}

// A block for each row from first_row on; gradient may be null.
template <class To>
__global__ void __launch_bounds__(kMostRowThreads)
    softmax_loss_kernel(SoftmaxLoss loss, std::int64_t first_row, To* gradient) {
  const std::int64_t row = first_row + blockIdx.x;
  const float* const z = loss.logits + row * loss.classes;
  const std::int32_t label = loss.labels[row];
  const float of_label = z[label];
  const RowSums sums = sums_of_row(loss, z);  // with barriers: the label's logit has been read
  const float largest = sums.largest.value;
  if (threadIdx.x == 0) {
    double distance = loss.on * (static_cast<double>(largest) - static_cast<double>(of_label));
    if (loss.off != 0) {
      distance += loss.off * (static_cast<double>(largest) * static_cast<double>(loss.classes) - sums.sum);
    }
    const bool has_nan = sums.total != sums.total;
    loss.values[row] = ::log(static_cast<double>(sums.total)) + distance;
    loss.values[loss.rows + row] = 1;
    loss.values[2 * loss.rows + row] = sums.largest.index == label && !has_nan ? 1 : 0;
  }
  if (gradient == nullptr) return;
  const float by = loss.weights[row] / sums.total;
  const auto others = static_cast<float>(static_cast<double>(loss.weights[row]) * loss.off);
  const auto of_target = static_cast<float>(static_cast<double>(loss.weights[row]) * loss.on);
  for (int begin = 0; begin < loss.classes; begin += kAtOnce * static_cast<int>(blockDim.x)) {
    float values[kAtOnce];
    read_logits(z, begin, loss.classes, values);
    // The first row's narrower gradient lies where these logits are, or before them.
    if constexpr (!std::is_same_v<To, float>) __syncthreads();
    for (int k = 0; k < kAtOnce; ++k) {
      const int j = class_of_thread(begin, k);
      if (j >= loss.classes) break;
      const float slope = ::expf(values[k] - largest) * by - others;
      store(j == label ? slope - of_target : slope, gradient + row * loss.classes + j);
    }
  }
}

// A gradient of bfloat16 that begins where the logits do: row r's lies where the logits of row r / 2 are, which another
// block might still have to read. So rows go in launches, one after the other: 0, 1, 2 to 3, 4 to 7, ..., each writing
// over logits of rows before its own. The first ones, of fewer rows than a GPU works on at a time, take as long as one
// row does: for 8192 rows and 50257 classes altogether about 0.2 ms, by estimate. This moves no more bytes and needs no
// more memory.
template <class To>
void submit_softmax_loss(const SoftmaxLoss& loss, To* gradient, GpuStream stream) {
  const bool overlaps = !std::is_same_v<To, float> && static_cast<const void*>(gradient) == loss.logits;
  for (std::int64_t first = 0; first < loss.rows;) {
    const std::int64_t end = overlaps ? std::min(loss.rows, std::max<std::int64_t>(1, 2 * first)) : loss.rows;
    launch(stream, grid_of_rows(end - first, loss.classes), &softmax_loss_kernel<To>, loss, first, gradient);
    first = end;
  }
}

}  // namespace

void CudaBackend::softmax_cross_entropy(double label_smoothing, const Tensor& logits, const Tensor& labels,
                                        const Tensor& weights, const Tensor& gradient, const Tensor& sums) {
  begin({logits, labels, weights, gradient, sums});
  check_samples(logits, weights, labels.count(), logits.shape()[0]);
  check_gradient(gradient, logits);
  const std::int64_t rows = logits.shape()[0];
  const std::int64_t classes = logits.shape()[1];
  LS_CHECK(classes <= kMostClasses, "a soft-max of more than 2^30 classes on a GPU");
  const SoftmaxLoss loss{
      .logits = data_of<float>(logits),
      .labels = data_of<std::int32_t>(labels),
      .weights = data_of<float>(weights),
      .values = static_cast<double*>(scratch(static_cast<std::size_t>(kLossSums * rows) * sizeof(double))),
      .rows = rows,
      .classes = static_cast<int>(classes),
      .on = 1 - label_smoothing,
      .off = label_smoothing / static_cast<double>(classes)};
  if (gradient.dtype() == DType::bfloat16) {
    submit_softmax_loss(loss, optional_data_of<BFloat16>(gradient), stream_);
  } else {
    submit_softmax_loss(loss, optional_data_of<float>(gradient), stream_);
  }
  add_up_samples(loss.values, loss.weights, data_of<double>(sums), kLossSums, rows, stream_);
}

}  // namespace lockstep

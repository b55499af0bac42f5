#include "tensor/cuda/sample_sums.h"

#include <string>

namespace lockstep {
namespace {

constexpr int kAddUpThreads = 512;

// A block for each sum.
__global__ void __launch_bounds__(kAddUpThreads)
    add_up_samples_kernel(const double* values, const float* weights, double* sums, std::int64_t samples) {
  __shared__ double scratch[kWarp];
  const double* const own = values + blockIdx.x * samples;
  double sum = 0;
  for (std::int64_t i = threadIdx.x; i < samples; i += blockDim.x) sum += static_cast<double>(weights[i]) * own[i];
  sum = reduce_block(sum, Sum(), scratch);
  if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}

}  // namespace

void check_samples(const Tensor& predictions, const Tensor& weights, std::int64_t targets, std::int64_t expected) {
  LS_CHECK(predictions.shape().rank() == 2 && weights.count() == predictions.shape()[0] && targets == expected,
           "predictions " + predictions.shape().text() + " with " + std::to_string(weights.count()) + " weights and " +
               std::to_string(targets) + " targets");
}

void check_gradient(const Tensor& gradient, const Tensor& predictions) {
  LS_CHECK(gradient.empty() || gradient.count() == predictions.count(), "a loss's gradient of another size");
}

void add_up_samples(const double* values, const float* weights, double* sums, std::int64_t count, std::int64_t samples,
                    GpuStream stream) {
  launch(stream, {.blocks = count, .threads = kAddUpThreads}, &add_up_samples_kernel, values, weights, sums, samples);
}

}  // namespace lockstep

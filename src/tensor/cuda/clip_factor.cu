#include <cstdint>
#include <string>

#include <device_code.h>
#include "tensor/cuda/block_reduction.h"
#include "tensor/cuda/cuda_backend.h"
#include "tensor/cuda/device_data.h"

namespace lockstep {
namespace {

constexpr int kThreads = 512;

// One block; each thread adds up every kThreads-th sum of the order.
__global__ void __launch_bounds__(kThreads)
    clip_factor_kernel(const double* sums, const std::int32_t* order, std::int64_t count, double scale, double most,
                       double* result) {
  __shared__ double scratch[kWarp];
  double sum = 0;
  for (std::int64_t i = threadIdx.x; i < count; i += kThreads) sum += sums[order[i]];
  sum = reduce_block(sum, Sum(), scratch);
  if (threadIdx.x > 0) return;
  const double norm = scale * ::sqrt(sum);
  double factor = most > 0 && norm > most ? most / norm : 1;
  if (!(norm - norm == 0)) factor = 0;  // infinite or NaN
  result[0] = factor;
  result[1] = norm;
}

}  // namespace

void CudaBackend::clip_factor(const Tensor& sums, const Tensor& order, double scale, double most,
                              const Tensor& result) {
  begin({sums, order, result});
  LS_CHECK(
      result.count() == 2 && order.count() == sums.count(),
      "a clip factor of " + std::to_string(sums.count()) + " sums in an order of " + std::to_string(order.count()));
  launch(stream_, {.blocks = 1, .threads = kThreads}, &clip_factor_kernel, data_of<double>(sums),
         data_of<std::int32_t>(order), sums.count(), scale, most, data_of<double>(result));
}

}  // namespace lockstep

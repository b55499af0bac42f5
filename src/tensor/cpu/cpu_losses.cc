#include "tensor/cpu/cpu_backend.h"
#include "tensor/cpu/kernels.h"
#include "tensor/cpu/on_type.h"

namespace lockstep {

void CpuBackend::softmax_cross_entropy(double label_smoothing, const Tensor& logits, const Tensor& labels,
                                       const Tensor& weights, const Tensor& gradient, const Tensor& sums) {
  LS_CHECK(label_smoothing == 0, "label smoothing");
  on_type(logits, [&]<class T>(T* z) {
    cpu::softmax_cross_entropy(z, labels.as<std::int32_t>(), weights.as<float>(), optional<T>(gradient),
                               sums.as<double>(), logits.shape()[0], width_of(logits));
  });
}

void CpuBackend::mean_squared_error(const Tensor& predictions, const Tensor& targets, const Tensor& weights,
                                    const Tensor& gradient, const Tensor& sums) {
  on_type(predictions, [&]<class T>(T* y) {
    cpu::mean_squared_error(y, targets.as<float>(), weights.as<float>(), optional<T>(gradient), sums.as<double>(),
                            predictions.shape()[0], width_of(predictions));
  });
}

}  // namespace lockstep

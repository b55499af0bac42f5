#include <fmt/format.h>

#include <algorithm>

#include "tensor/cpu/cpu_backend.h"
#include "tensor/cpu/dispatch_dtype.h"
#include "tensor/cpu/loss_kernels.h"

namespace lockstep {
namespace {

void check_rows(const Tensor& predictions, const Tensor& weights, std::int64_t targets, std::int64_t expected) {
  LS_CHECK(predictions.shape().rank() == 2 && weights.count() == predictions.shape()[0] && targets == expected,
           fmt::format("predictions {} with {} weights and {} targets", predictions.shape().text(), weights.count(),
                       targets));
}

void check_gradient(const Tensor& gradient, const Tensor& predictions) {
  LS_CHECK(gradient.empty() || gradient.count() == predictions.count(), "a loss's gradient of another size");
}

// Targets outside [0, 1] give a loss without a minimum, and training would diverge without an error.
void check_probabilities(const Tensor& targets) {
  const auto numbers = targets.span<float>();
  const auto outside =
      std::find_if(numbers.begin(), numbers.end(), [](float number) { return !(number >= 0 && number <= 1); });
  if (outside == numbers.end()) return;
  throw Error(ExitCode::bad_data, fmt::format("sigmoid cross-entropy needs targets between 0 and 1, and one is {}; "
                                              "scale the targets or choose loss=mean_squared_error",
                                              *outside));
}

}  // namespace

void CpuBackend::softmax_cross_entropy(double label_smoothing, const Tensor& logits, const Tensor& labels,
                                       const Tensor& weights, const Tensor& gradient, const Tensor& sums) {
  check_rows(logits, weights, labels.count(), logits.shape()[0]);
  check_gradient(gradient, logits);
  if (gradient.dtype() == DType::bfloat16) {
    softmax_row_.resize(static_cast<std::size_t>(width_of(logits)));
    cpu::softmax_cross_entropy(label_smoothing, logits.as<float>(), labels.as<std::int32_t>(), weights.as<float>(),
                               optional<BFloat16>(gradient), softmax_row_.data(), sums.as<double>(), logits.shape()[0],
                               width_of(logits));
    return;
  }
  on_type(logits, [&]<class T>(T* z) {
    cpu::softmax_cross_entropy(label_smoothing, z, labels.as<std::int32_t>(), weights.as<float>(),
                               optional<T>(gradient), sums.as<double>(), logits.shape()[0], width_of(logits));
  });
}

void CpuBackend::sigmoid_cross_entropy(double label_smoothing, const Tensor& logits, const Tensor& targets,
                                       const Tensor& weights, const Tensor& gradient, const Tensor& sums) {
  const bool labeled = targets.dtype() == DType::int32;
  check_rows(logits, weights, targets.count(), labeled ? logits.shape()[0] : logits.count());
  check_gradient(gradient, logits);
  cpu::SigmoidTargets given{.label_smoothing = label_smoothing};
  if (labeled) {
    given.labels = targets.as<std::int32_t>();
  } else {
    LS_CHECK(label_smoothing == 0, "label smoothing of targets that are no labels");
    check_probabilities(targets);
    given.numbers = targets.as<float>();
  }
  on_type(logits, [&]<class T>(T* z) {
    cpu::sigmoid_cross_entropy(given, z, weights.as<float>(), optional<T>(gradient), sums.as<double>(),
                               logits.shape()[0], width_of(logits));
  });
}

void CpuBackend::mean_squared_error(const Tensor& predictions, const Tensor& targets, const Tensor& weights,
                                    const Tensor& gradient, const Tensor& sums) {
  check_rows(predictions, weights, targets.count(), predictions.count());
  check_gradient(gradient, predictions);
  on_type(predictions, [&]<class T>(T* y) {
    cpu::mean_squared_error(y, targets.as<float>(), weights.as<float>(), optional<T>(gradient), sums.as<double>(),
                            predictions.shape()[0], width_of(predictions));
  });
}

void CpuBackend::count_in_top(std::int64_t k, const Tensor& logits, const Tensor& labels, const Tensor& weights,
                              const Tensor& sum) {
  check_rows(logits, weights, labels.count(), logits.shape()[0]);
  *sum.as<double>() = on_type(logits, [&]<class T>(T* z) {
    return cpu::count_in_top(k, z, labels.as<std::int32_t>(), weights.as<float>(), logits.shape()[0], width_of(logits));
  });
}

void CpuBackend::regression_errors(const Tensor& predictions, const Tensor& targets, const Tensor& weights,
                                   const Tensor& sums) {
  check_rows(predictions, weights, targets.count(), predictions.count());
  on_type(predictions, [&]<class T>(T* y) {
    cpu::regression_errors(y, targets.as<float>(), weights.as<float>(), sums.as<double>(), predictions.shape()[0],
                           width_of(predictions));
  });
}

}  // namespace lockstep

#include <optional>

#include "tensor/cpu/cpu_backend.h"
#include "tensor/cpu/dispatch_dtype.h"
#include "tensor/cpu/updates.h"

namespace lockstep {
namespace {

void check_spans(const Tensor& values, std::initializer_list<Tensor> others) {
  for (const Tensor& other : others) LS_CHECK(other.count() == values.count(), "an update of unlike spans");
}

// The step with the device's factor multiplied into its own; nothing if that is 0, as there is nothing to do.
template <class Step>
std::optional<Step> clipped(Step step) {
  if (step.device_factor == nullptr) return step;
  if (*step.device_factor == 0) return {};
  step.factor *= *step.device_factor;
  return step;
}

}  // namespace

void CpuBackend::sgd_update(const Tensor& values, const Tensor& gradients, const SgdStep& given) {
  check_spans(values, {gradients});
  const auto step = clipped(given);
  if (!step) return;
  on_type(values, [&]<class T>(T* data) { cpu::sgd_update(data, gradients.as<T>(), *step, values.count()); });
}

void CpuBackend::momentum_update(const Tensor& values, const Tensor& gradients, const Tensor& velocity,
                                 const MomentumStep& given) {
  check_spans(values, {gradients, velocity});
  const auto step = clipped(given);
  if (!step) return;
  on_type(values, [&]<class T>(T* data) {
    cpu::momentum_update(data, gradients.as<T>(), velocity.as<T>(), *step, values.count());
  });
}

void CpuBackend::adam_update(const Tensor& values, const Tensor& gradients, const Tensor& m, const Tensor& v,
                             const AdamStep& given) {
  check_spans(values, {gradients, m, v});
  const auto step = clipped(given);
  if (!step) return;
  on_type(values, [&]<class T>(T* data) {
    cpu::adam_update(data, gradients.as<T>(), m.as<T>(), v.as<T>(), *step, values.count());
  });
}

void CpuBackend::rmsprop_update(const Tensor& values, const Tensor& gradients, const Tensor& mean_square,
                                const RmspropStep& given) {
  check_spans(values, {gradients, mean_square});
  const auto step = clipped(given);
  if (!step) return;
  on_type(values, [&]<class T>(T* data) {
    cpu::rmsprop_update(data, gradients.as<T>(), mean_square.as<T>(), *step, values.count());
  });
}

void CpuBackend::adagrad_update(const Tensor& values, const Tensor& gradients, const Tensor& sum,
                                const AdagradStep& given) {
  check_spans(values, {gradients, sum});
  const auto step = clipped(given);
  if (!step) return;
  on_type(values,
          [&]<class T>(T* data) { cpu::adagrad_update(data, gradients.as<T>(), sum.as<T>(), *step, values.count()); });
}

void CpuBackend::lamb_update(const Tensor& values, const Tensor& gradients, const Tensor& m, const Tensor& v,
                             const LambStep& given) {
  check_spans(values, {gradients, m, v});
  const auto step = clipped(given);
  if (!step) return;
  on_type(values, [&]<class T>(T* data) {
    cpu::lamb_update(data, gradients.as<T>(), m.as<T>(), v.as<T>(), *step, values.count());
  });
}

void CpuBackend::lars_update(const Tensor& values, const Tensor& gradients, const Tensor& velocity,
                             const LarsStep& given) {
  check_spans(values, {gradients, velocity});
  const auto step = clipped(given);
  if (!step) return;
  on_type(values, [&]<class T>(T* data) {
    cpu::lars_update(data, gradients.as<T>(), velocity.as<T>(), *step, values.count());
  });
}

void CpuBackend::adafactor_update(const Tensor& values, const Tensor& gradients, const Tensor& v,
                                  const AdafactorStep& given) {
  check_spans(values, {gradients, v});
  const auto step = clipped(given);
  if (!step) return;
  LS_CHECK(given.rows > 0 && given.columns > 0 && values.count() % (given.rows * given.columns) == 0,
           "an update of a part of a matrix");
  on_type(values,
          [&]<class T>(T* data) { cpu::adafactor_update(data, gradients.as<T>(), v.as<T>(), *step, values.count()); });
}

}  // namespace lockstep

#include "tensor/cpu/cpu_backend.h"
#include "tensor/cpu/dispatch_dtype.h"
#include "tensor/cpu/updates.h"

namespace lockstep {
namespace {

void check_spans(const Tensor& values, std::initializer_list<Tensor> others) {
  for (const Tensor& other : others) LS_CHECK(other.count() == values.count(), "an update of unlike spans");
}

}  // namespace

void CpuBackend::sgd_update(const Tensor& values, const Tensor& gradients, const SgdStep& step) {
  check_spans(values, {gradients});
  on_type(values, [&]<class T>(T* data) { cpu::sgd_update(data, gradients.as<T>(), step, values.count()); });
}

void CpuBackend::momentum_update(const Tensor& values, const Tensor& gradients, const Tensor& velocity,
                                 const MomentumStep& step) {
  check_spans(values, {gradients, velocity});
  on_type(values, [&]<class T>(T* data) {
    cpu::momentum_update(data, gradients.as<T>(), velocity.as<T>(), step, values.count());
  });
}

void CpuBackend::adam_update(const Tensor& values, const Tensor& gradients, const Tensor& m, const Tensor& v,
                             const AdamStep& step) {
  check_spans(values, {gradients, m, v});
  on_type(values, [&]<class T>(T* data) {
    cpu::adam_update(data, gradients.as<T>(), m.as<T>(), v.as<T>(), step, values.count());
  });
}

void CpuBackend::rmsprop_update(const Tensor& values, const Tensor& gradients, const Tensor& mean_square,
                                const RmspropStep& step) {
  check_spans(values, {gradients, mean_square});
  on_type(values, [&]<class T>(T* data) {
    cpu::rmsprop_update(data, gradients.as<T>(), mean_square.as<T>(), step, values.count());
  });
}

void CpuBackend::adagrad_update(const Tensor& values, const Tensor& gradients, const Tensor& sum,
                                const AdagradStep& step) {
  check_spans(values, {gradients, sum});
  on_type(values,
          [&]<class T>(T* data) { cpu::adagrad_update(data, gradients.as<T>(), sum.as<T>(), step, values.count()); });
}

void CpuBackend::lamb_update(const Tensor& values, const Tensor& gradients, const Tensor& m, const Tensor& v,
                             const LambStep& step) {
  check_spans(values, {gradients, m, v});
  on_type(values, [&]<class T>(T* data) {
    cpu::lamb_update(data, gradients.as<T>(), m.as<T>(), v.as<T>(), step, values.count());
  });
}

void CpuBackend::lars_update(const Tensor& values, const Tensor& gradients, const Tensor& velocity,
                             const LarsStep& step) {
  check_spans(values, {gradients, velocity});
  on_type(values,
          [&]<class T>(T* data) { cpu::lars_update(data, gradients.as<T>(), velocity.as<T>(), step, values.count()); });
}

void CpuBackend::adafactor_update(const Tensor& values, const Tensor& gradients, const Tensor& v,
                                  const AdafactorStep& step) {
  check_spans(values, {gradients, v});
  LS_CHECK(step.rows > 0 && step.columns > 0 && values.count() % (step.rows * step.columns) == 0,
           "an update of a part of a matrix");
  on_type(values,
          [&]<class T>(T* data) { cpu::adafactor_update(data, gradients.as<T>(), v.as<T>(), step, values.count()); });
}

}  // namespace lockstep

#include "tensor/cpu/cpu_backend.h"
#include "tensor/cpu/kernels.h"
#include "tensor/cpu/on_type.h"

namespace lockstep {
namespace {

void check_spans(const Tensor& values, std::initializer_list<Tensor> others) {
  for (const Tensor& other : others) LS_CHECK(other.count() == values.count(), "an update of unlike spans");
}

}  // namespace

void CpuBackend::sgd_update(const Tensor& values, const Tensor& gradients, double rate) {
  check_spans(values, {gradients});
  on_type(values, [&]<class T>(T* data) { cpu::sgd_update(data, gradients.as<T>(), rate, values.count()); });
}

void CpuBackend::momentum_update(const Tensor& values, const Tensor& gradients, const Tensor& velocity, double rate,
                                 double momentum) {
  check_spans(values, {gradients, velocity});
  on_type(values, [&]<class T>(T* data) {
    cpu::momentum_update(data, gradients.as<T>(), velocity.as<T>(), rate, momentum, values.count());
  });
}

void CpuBackend::adam_update(const Tensor& values, const Tensor& gradients, const Tensor& m, const Tensor& v,
                             const AdamStep& step) {
  check_spans(values, {gradients, m, v});
  on_type(values, [&]<class T>(T* data) {
    cpu::adam_update(data, gradients.as<T>(), m.as<T>(), v.as<T>(), step, values.count());
  });
}

}  // namespace lockstep

#include <cmath>

#include "tensor/cpu/kernels.h"
#include "tensor/cpu/multiversion.h"

// __restrict: values, gradients and slots are different spans; without it the compiler gives up on so many pointers.
namespace lockstep::cpu {
namespace {

template <class T>
LS_INLINE void sgd(T* __restrict values, const T* __restrict gradients, T rate, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) values[i] -= rate * gradients[i];
}

template <class T>
LS_INLINE void momentum_sgd(T* __restrict values, const T* __restrict gradients, T* __restrict velocity, T rate,
                            T momentum, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) {
    velocity[i] = momentum * velocity[i] + gradients[i];
    values[i] -= rate * velocity[i];
  }
}

template <class T>
LS_INLINE void adam(T* __restrict values, const T* __restrict gradients, T* __restrict m, T* __restrict v, T rate,
                    T beta1, T beta2, T epsilon, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) {
    m[i] = beta1 * m[i] + (T(1) - beta1) * gradients[i];
    v[i] = beta2 * v[i] + (T(1) - beta2) * gradients[i] * gradients[i];
    values[i] -= rate * m[i] / (std::sqrt(v[i]) + epsilon);
  }
}

// The bias corrections of both moments, folded into the rate.
double corrected_rate(const Backend::AdamStep& step) {
  const auto t = static_cast<double>(step.t);
  return step.rate * std::sqrt(1 - std::pow(step.beta2, t)) / (1 - std::pow(step.beta1, t));
}

LS_MULTIVERSION void adam_f32(float* values, const float* gradients, float* m, float* v, float rate, float beta1,
                              float beta2, float epsilon, std::int64_t count) {
  adam(values, gradients, m, v, rate, beta1, beta2, epsilon, count);
}

}  // namespace

LS_MULTIVERSION void sgd_update(float* values, const float* gradients, double rate, std::int64_t count) {
  sgd(values, gradients, static_cast<float>(rate), count);
}
void sgd_update(double* values, const double* gradients, double rate, std::int64_t count) {
  sgd(values, gradients, rate, count);
}

LS_MULTIVERSION void momentum_update(float* values, const float* gradients, float* velocity, double rate,
                                     double momentum, std::int64_t count) {
  momentum_sgd(values, gradients, velocity, static_cast<float>(rate), static_cast<float>(momentum), count);
}
void momentum_update(double* values, const double* gradients, double* velocity, double rate, double momentum,
                     std::int64_t count) {
  momentum_sgd(values, gradients, velocity, rate, momentum, count);
}

void adam_update(float* values, const float* gradients, float* m, float* v, const Backend::AdamStep& step,
                 std::int64_t count) {
  adam_f32(values, gradients, m, v, static_cast<float>(corrected_rate(step)), static_cast<float>(step.beta1),
           static_cast<float>(step.beta2), static_cast<float>(step.epsilon), count);
}
void adam_update(double* values, const double* gradients, double* m, double* v, const Backend::AdamStep& step,
                 std::int64_t count) {
  adam(values, gradients, m, v, corrected_rate(step), step.beta1, step.beta2, step.epsilon, count);
}

}  // namespace lockstep::cpu

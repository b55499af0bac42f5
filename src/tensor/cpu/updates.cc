#include "tensor/cpu/updates.h"

#include <cmath>

#include "base/multiversion.h"
#include "tensor/cpu/scaled_gradient.h"

// The formulas are those of tensor/update_steps.h. Coefficients are worked out in double precision and rounded once:
// 1 - beta2 taken in float would be off by 5e-5 of itself.
//
// __restrict: values, gradients and slots are different spans; without it the compiler gives up on this many pointers.
namespace lockstep::cpu {
namespace {

template <class T>
LS_INLINE void sgd(T* __restrict values, const T* __restrict gradients, const SgdStep& step, double factor,
                   std::int64_t count) {
  const auto rate = static_cast<T>(step.rate);
  const auto l2 = static_cast<T>(step.l2);
  const ScaledGradient<T> scaled(factor);
  for (std::int64_t i = 0; i < count; ++i) values[i] -= rate * (scaled(gradients[i]) + l2 * values[i]);
}

template <class T>
LS_INLINE void heavy_ball(T* __restrict values, const T* __restrict gradients, T* __restrict velocity,
                          const MomentumStep& step, double factor, std::int64_t count) {
  const auto rate = static_cast<T>(step.rate);
  const auto momentum = static_cast<T>(step.momentum);
  const auto l2 = static_cast<T>(step.l2);
  const ScaledGradient<T> scaled(factor);
  for (std::int64_t i = 0; i < count; ++i) {
    velocity[i] = momentum * velocity[i] + (scaled(gradients[i]) + l2 * values[i]);
    values[i] -= rate * velocity[i];
  }
}

template <class T>
LS_INLINE void nesterov(T* __restrict values, const T* __restrict gradients, T* __restrict velocity,
                        const MomentumStep& step, double factor, std::int64_t count) {
  const auto rate = static_cast<T>(step.rate);
  const auto momentum = static_cast<T>(step.momentum);
  const auto l2 = static_cast<T>(step.l2);
  const ScaledGradient<T> scaled(factor);
  for (std::int64_t i = 0; i < count; ++i) {
    const T g = scaled(gradients[i]) + l2 * values[i];
    velocity[i] = momentum * velocity[i] + g;
    values[i] -= rate * (g + momentum * velocity[i]);
  }
}

template <class T>
LS_INLINE void momentum_of_form(T* values, const T* gradients, T* velocity, const MomentumStep& step, double factor,
                                std::int64_t count) {
  if (step.form == MomentumStep::Form::nesterov) return nesterov(values, gradients, velocity, step, factor, count);
  heavy_ball(values, gradients, velocity, step, factor, count);
}

template <class T>
LS_INLINE void adam(T* __restrict values, const T* __restrict gradients, T* __restrict m, T* __restrict v,
                    const AdamStep& step, double factor, std::int64_t count) {
  const auto beta1 = static_cast<T>(step.beta1);
  const auto beta2 = static_cast<T>(step.beta2);
  const auto rest1 = static_cast<T>(1 - step.beta1);
  const auto rest2 = static_cast<T>(1 - step.beta2);
  const auto epsilon = static_cast<T>(step.epsilon);
  const auto l2 = static_cast<T>(step.l2);
  const auto shrink = static_cast<T>(step.rate * step.decoupled);
  const auto t = static_cast<double>(step.t);
  const auto rate = static_cast<T>(step.rate * std::sqrt(1 - std::pow(step.beta2, t)) / (1 - std::pow(step.beta1, t)));
  const ScaledGradient<T> scaled(factor);
  for (std::int64_t i = 0; i < count; ++i) {
    const T g = scaled(gradients[i]) + l2 * values[i];
    m[i] = beta1 * m[i] + rest1 * g;
    v[i] = beta2 * v[i] + rest2 * (g * g);
    values[i] -= rate * m[i] / (std::sqrt(v[i]) + epsilon) + shrink * values[i];
  }
}

template <class T>
LS_INLINE void rmsprop(T* __restrict values, const T* __restrict gradients, T* __restrict mean_square,
                       const RmspropStep& step, double factor, std::int64_t count) {
  const auto rate = static_cast<T>(step.rate);
  const auto decay = static_cast<T>(step.decay);
  const auto rest = static_cast<T>(1 - step.decay);
  const auto epsilon = static_cast<T>(step.epsilon);
  const auto l2 = static_cast<T>(step.l2);
  const ScaledGradient<T> scaled(factor);
  for (std::int64_t i = 0; i < count; ++i) {
    const T g = scaled(gradients[i]) + l2 * values[i];
    mean_square[i] = decay * mean_square[i] + rest * (g * g);
    values[i] -= rate * g / (std::sqrt(mean_square[i]) + epsilon);
  }
}

template <class T>
LS_INLINE void adagrad(T* __restrict values, const T* __restrict gradients, T* __restrict sum, const AdagradStep& step,
                       double factor, std::int64_t count) {
  const auto rate = static_cast<T>(step.rate);
  const auto epsilon = static_cast<T>(step.epsilon);
  const auto l2 = static_cast<T>(step.l2);
  const ScaledGradient<T> scaled(factor);
  for (std::int64_t i = 0; i < count; ++i) {
    const T g = scaled(gradients[i]) + l2 * values[i];
    sum[i] += g * g;
    values[i] -= rate * g / (std::sqrt(sum[i]) + epsilon);
  }
}

LS_MULTIVERSION void update_by(const SgdStep& step, double factor, const UpdateSpans<float>& s) {
  sgd(s.values, s.gradients, step, factor, s.count);
}
void update_by(const SgdStep& step, double factor, const UpdateSpans<double>& s) {
  sgd(s.values, s.gradients, step, factor, s.count);
}

LS_MULTIVERSION void update_by(const MomentumStep& step, double factor, const UpdateSpans<float>& s) {
  momentum_of_form(s.values, s.gradients, s.slots[0], step, factor, s.count);
}
void update_by(const MomentumStep& step, double factor, const UpdateSpans<double>& s) {
  momentum_of_form(s.values, s.gradients, s.slots[0], step, factor, s.count);
}

LS_MULTIVERSION void update_by(const AdamStep& step, double factor, const UpdateSpans<float>& s) {
  adam(s.values, s.gradients, s.slots[0], s.slots[1], step, factor, s.count);
}
void update_by(const AdamStep& step, double factor, const UpdateSpans<double>& s) {
  adam(s.values, s.gradients, s.slots[0], s.slots[1], step, factor, s.count);
}

LS_MULTIVERSION void update_by(const RmspropStep& step, double factor, const UpdateSpans<float>& s) {
  rmsprop(s.values, s.gradients, s.slots[0], step, factor, s.count);
}
void update_by(const RmspropStep& step, double factor, const UpdateSpans<double>& s) {
  rmsprop(s.values, s.gradients, s.slots[0], step, factor, s.count);
}

LS_MULTIVERSION void update_by(const AdagradStep& step, double factor, const UpdateSpans<float>& s) {
  adagrad(s.values, s.gradients, s.slots[0], step, factor, s.count);
}
void update_by(const AdagradStep& step, double factor, const UpdateSpans<double>& s) {
  adagrad(s.values, s.gradients, s.slots[0], step, factor, s.count);
}

template <class T>
void update_by_any(const UpdateFormula& formula, double factor, const UpdateSpans<T>& spans) {
  std::visit([&](const auto& step) { update_by(step, factor, spans); }, formula);
}

}  // namespace

void update(const UpdateFormula& formula, double factor, const UpdateSpans<float>& spans) {
  update_by_any(formula, factor, spans);
}
void update(const UpdateFormula& formula, double factor, const UpdateSpans<double>& spans) {
  update_by_any(formula, factor, spans);
}

}  // namespace lockstep::cpu

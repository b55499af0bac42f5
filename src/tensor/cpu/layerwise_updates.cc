#include <algorithm>
#include <array>
#include <cmath>

#include "base/multiversion.h"
#include "tensor/cpu/scaled_gradient.h"
#include "tensor/cpu/square_sum.h"
#include "tensor/cpu/updates.h"

// LAMB and LARS: a first pass for the norms of a variable, a second one that moves it. The formulas are those of
// tensor/update_steps.h.
namespace lockstep::cpu {
namespace {

template <class T>
struct LambCoefficients {
  explicit LambCoefficients(const LambStep& step)
      : beta1(static_cast<T>(step.beta1)),
        beta2(static_cast<T>(step.beta2)),
        rest1(static_cast<T>(1 - step.beta1)),
        rest2(static_cast<T>(1 - step.beta2)),
        correction1(static_cast<T>(1 / (1 - std::pow(step.beta1, static_cast<double>(step.t))))),
        correction2(static_cast<T>(1 / (1 - std::pow(step.beta2, static_cast<double>(step.t))))),
        epsilon(static_cast<T>(step.epsilon)),
        weight_decay(static_cast<T>(step.weight_decay)) {}

  // r, the direction before its length is set.
  LS_INLINE T direction(T value, T m, T v) const {
    return correction1 * m / (std::sqrt(correction2 * v) + epsilon) + weight_decay * value;
  }

  T beta1;
  T beta2;
  T rest1;
  T rest2;
  T correction1;
  T correction2;
  T epsilon;
  T weight_decay;
};

// New moments; the norms of the values and of r, block by block so that r needs no memory of a variable's length.
template <class T>
LS_INLINE void lamb_moments(const T* __restrict values, const T* __restrict gradients, T* __restrict m, T* __restrict v,
                            const LambCoefficients<T>& c, const ScaledGradient<T>& scaled, std::int64_t count,
                            SquareSum& value_squares, SquareSum& direction_squares) {
  constexpr std::int64_t kBlock = 512;
  std::array<T, kBlock> r;  // NOLINT(cppcoreguidelines-pro-type-member-init): written before it is read
  for (std::int64_t begin = 0; begin < count; begin += kBlock) {
    const std::int64_t length = std::min(kBlock, count - begin);
    T* direction = r.data();
    for (std::int64_t i = 0; i < length; ++i) {
      const T g = scaled(gradients[begin + i]);
      m[begin + i] = c.beta1 * m[begin + i] + c.rest1 * g;
      v[begin + i] = c.beta2 * v[begin + i] + c.rest2 * (g * g);
      direction[i] = c.direction(values[begin + i], m[begin + i], v[begin + i]);
    }
    value_squares.add(values + begin, length);
    direction_squares.add(direction, length);
  }
}

template <class T>
LS_INLINE void lamb(T* __restrict values, const T* __restrict gradients, T* __restrict m, T* __restrict v,
                    const LambStep& step, double factor, std::int64_t count) {
  const LambCoefficients<T> c(step);
  SquareSum value_squares;
  SquareSum direction_squares;
  lamb_moments(values, gradients, m, v, c, ScaledGradient<T>(factor), count, value_squares, direction_squares);
  const double length = value_squares.norm();
  const double wanted = direction_squares.norm();
  const double ratio = step.adapted && length > 0 && wanted > 0 ? length / wanted : 1;
  const auto rate = static_cast<T>(step.rate * ratio);
  for (std::int64_t i = 0; i < count; ++i) values[i] -= rate * c.direction(values[i], m[i], v[i]);
}

template <class T>
LS_INLINE void lars(T* __restrict values, const T* __restrict gradients, T* __restrict velocity, const LarsStep& step,
                    double factor, std::int64_t count) {
  const ScaledGradient<T> scaled(factor);
  double ratio = 1;
  if (step.adapted) {
    SquareSum value_squares;
    SquareSum gradient_squares;
    value_squares.add(values, count);
    gradient_squares.add(gradients, count, scaled);
    const double length = value_squares.norm();
    const double pull = gradient_squares.norm() + step.weight_decay * length;
    if (length > 0 && pull > 0) ratio = step.trust * length / pull;
  }
  const auto rate = static_cast<T>(step.rate * ratio);
  const auto momentum = static_cast<T>(step.momentum);
  const auto weight_decay = static_cast<T>(step.weight_decay);
  for (std::int64_t i = 0; i < count; ++i) {
    velocity[i] = momentum * velocity[i] + rate * (scaled(gradients[i]) + weight_decay * values[i]);
    values[i] -= velocity[i];
  }
}

}  // namespace

LS_MULTIVERSION void update_by(const LambStep& step, double factor, const UpdateSpans<float>& s) {
  lamb(s.values, s.gradients, s.slots[0], s.slots[1], step, factor, s.count);
}
void update_by(const LambStep& step, double factor, const UpdateSpans<double>& s) {
  lamb(s.values, s.gradients, s.slots[0], s.slots[1], step, factor, s.count);
}

LS_MULTIVERSION void update_by(const LarsStep& step, double factor, const UpdateSpans<float>& s) {
  lars(s.values, s.gradients, s.slots[0], step, factor, s.count);
}
void update_by(const LarsStep& step, double factor, const UpdateSpans<double>& s) {
  lars(s.values, s.gradients, s.slots[0], step, factor, s.count);
}

}  // namespace lockstep::cpu

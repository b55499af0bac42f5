#include "tensor/cpu/gelu.h"

#include <cmath>
#include <cstddef>
#include <numbers>

#include "base/multiversion.h"

namespace lockstep::cpu {
namespace {

constexpr float kRootOf2OverPi = std::numbers::inv_sqrtpi_v<float> * std::numbers::sqrt2_v<float>;

namespace gelu_oldest {
using Lanes = FloatsOfRegister<4>::Type;
#include "tensor/cpu/gelu_loops.inc"
}  // namespace gelu_oldest

#if defined(__x86_64__) && !defined(__clang__)
namespace gelu_v3 {
using Lanes = FloatsOfRegister<8>::Type;
#pragma GCC push_options
#pragma GCC target("arch=x86-64-v3")
#include "tensor/cpu/gelu_loops.inc"
#pragma GCC pop_options
}  // namespace gelu_v3
namespace gelu_v4 {
using Lanes = FloatsOfRegister<16>::Type;
#pragma GCC push_options
#pragma GCC target("arch=x86-64-v4")
#include "tensor/cpu/gelu_loops.inc"
#pragma GCC pop_options
}  // namespace gelu_v4
#else
namespace gelu_v3 = gelu_oldest;
namespace gelu_v4 = gelu_oldest;
#endif

// The same in double precision, by the standard library: what float is checked against.
double phi(double x) { return 0.5 * std::erfc(-x * std::numbers::sqrt2 / 2); }

double hidden(double x) { return std::numbers::inv_sqrtpi * std::numbers::sqrt2 * (x + 0.044715 * x * x * x); }

double slope(GeluForm form, double x) {
  if (form == GeluForm::erf) {
    return phi(x) + x * std::exp(-x * x / 2) * std::numbers::inv_sqrtpi / std::numbers::sqrt2;
  }
  const double tanh = std::tanh(hidden(x));
  const double inner = std::numbers::inv_sqrtpi * std::numbers::sqrt2 * (1 + 3 * 0.044715 * x * x);
  return 0.5 * (1 + tanh) + 0.5 * x * (1 - tanh * tanh) * inner;
}

template <class To>
void gelu_of(GeluForm form, const float* x, To* y, std::int64_t count, Generation generation) {
  switch (generation) {
    case Generation::v4:
      return gelu_v4::forward(form, x, y, count);
    case Generation::v3:
      return gelu_v3::forward(form, x, y, count);
    case Generation::oldest:
      return gelu_oldest::forward(form, x, y, count);
  }
}

template <class To>
void gelu_backward_of(GeluForm form, const float* x, const float* dy, To* dx, std::int64_t count,
                      Generation generation) {
  switch (generation) {
    case Generation::v4:
      return gelu_v4::backward(form, x, dy, dx, count);
    case Generation::v3:
      return gelu_v3::backward(form, x, dy, dx, count);
    case Generation::oldest:
      return gelu_oldest::backward(form, x, dy, dx, count);
  }
}

}  // namespace

void gelu(GeluForm form, const float* x, float* y, std::int64_t count, Generation generation) {
  gelu_of(form, x, y, count, generation);
}
void gelu(GeluForm form, const float* x, BFloat16* y, std::int64_t count, Generation generation) {
  gelu_of(form, x, y, count, generation);
}
void gelu(GeluForm form, const double* x, double* y, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) {
    y[i] = x[i] * (form == GeluForm::erf ? phi(x[i]) : 0.5 * (1 + std::tanh(hidden(x[i]))));
  }
}

void gelu_backward(GeluForm form, const float* x, const float* dy, float* dx, std::int64_t count,
                   Generation generation) {
  gelu_backward_of(form, x, dy, dx, count, generation);
}
void gelu_backward(GeluForm form, const float* x, const float* dy, BFloat16* dx, std::int64_t count,
                   Generation generation) {
  gelu_backward_of(form, x, dy, dx, count, generation);
}
void gelu_backward(GeluForm form, const double* x, const double* dy, double* dx, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) dx[i] = dy[i] * slope(form, x[i]);
}

}  // namespace lockstep::cpu

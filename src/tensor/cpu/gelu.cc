#include "tensor/cpu/gelu.h"

#include <cmath>
#include <cstddef>
#include <numbers>

#include "base/multiversion.h"

namespace lockstep::cpu {
namespace {

// GELU is x times a function that goes from 0 to 1, and its slope, by which the gradient is multiplied, is another one;
// both are 1/2 plus an odd function. That is x P(x^2) / Q(x^2) here up to |x| = end, and beyond it 1/2 with the sign of
// x, to 1e-7. The coefficients, constant ones first, minimise the largest error, which is 6e-9. They were found by
// Lawson's iteration ("Contributions to the theory of linear least maximum approximation", 1961) with that of
// Sanathanan and Koerner ("Transfer function synthesis as a ratio of two complex polynomials", 1963) for the
// denominator; arithmetic in float32 adds 3e-7.
template <std::size_t Numerator, std::size_t Denominator>
struct Fit {
  float end;
  float numerator[Numerator];
  float denominator[Denominator];
};
constexpr Fit<6, 6> kErf{
    5.4F,
    {0.398942232F, 0.033372283F, 0.00465085451F, 0.000164322279F, 6.36002733e-06F, 2.33867183e-08F},
    {1, 0.250317991F, 0.0283787176F, 0.0018589847F, 7.24003912e-05F, 1.21659104e-06F}};
constexpr Fit<8, 7> kErfSlope{
    5.9F,
    {0.797884524F, -0.0205661096F, 0.0136698876F, 0.00023950683F, 3.20416366e-05F, 1.00123157e-06F, 1.22113173e-08F,
     -2.83679035e-11F},
    {1, 0.307557166F, 0.0446528308F, 0.00402092747F, 0.000247285469F, 1.02228942e-05F, 3.31200141e-07F}};
constexpr Fit<6, 6> kTanh{
    5.1F,
    {0.398942322F, 0.0304326788F, 0.00362876616F, 0.0001332924F, 6.98542453e-06F, 2.35356463e-08F},
    {1, 0.243775725F, 0.0243532918F, 0.00129672221F, 7.5398777e-05F, 1.29642592e-06F}};
constexpr Fit<8, 7> kTanhSlope{
    5.7F,
    {0.797884524F, -0.0484164543F, 0.0134151829F, -0.000263773079F, 2.88517731e-05F, 1.50202268e-07F, 1.01166089e-08F,
     -3.484453e-11F},
    {1, 0.274301767F, 0.0319862366F, 0.00180385029F, 0.000129293854F, 4.22236644e-06F, 1.66598156e-07F}};

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

// The same in double precision, by the standard library: the reference for float.
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

#include <cmath>

#include "base/multiversion.h"
#include "tensor/cpu/gelu.h"
#include "tensor/cpu/kernels.h"
#include "tensor/cpu/rounded_to.h"

namespace lockstep::cpu {
namespace {

template <class T, class To>
LS_INLINE void relu(const T* x, To* y, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) {
    y[i] = rounded_to<To>(x[i] > 0 ? x[i] : (x[i] != x[i] ? x[i] : T{0}));  // NaN stays NaN
  }
}

template <class T, class To>
LS_INLINE void relu_backward(const T* x, const T* dy, To* dx, std::int64_t count) {
  LS_INDEPENDENT_LOOP
  for (std::int64_t i = 0; i < count; ++i) dx[i] = rounded_to<To>(x[i] > 0 ? dy[i] : T{0});
}

LS_MULTIVERSION void relu_of(const float* x, float* y, std::int64_t count) { relu(x, y, count); }
LS_MULTIVERSION void relu_of(const float* x, BFloat16* y, std::int64_t count) { relu(x, y, count); }
void relu_of(const double* x, double* y, std::int64_t count) { relu(x, y, count); }
LS_MULTIVERSION void relu_backward_of(const float* x, const float* dy, float* dx, std::int64_t count) {
  relu_backward(x, dy, dx, count);
}
LS_MULTIVERSION void relu_backward_of(const float* x, const float* dy, BFloat16* dx, std::int64_t count) {
  relu_backward(x, dy, dx, count);
}
void relu_backward_of(const double* x, const double* dy, double* dx, std::int64_t count) {
  relu_backward(x, dy, dx, count);
}

template <class T, class To>
void activate_any(Activation activation, const T* x, To* y, std::int64_t count) {
  switch (activation) {
    case Activation::relu:
      return relu_of(x, y, count);
    case Activation::tanh:
      for (std::int64_t i = 0; i < count; ++i) y[i] = rounded_to<To>(std::tanh(x[i]));
      return;
    case Activation::gelu:
      return gelu(GeluForm::erf, x, y, count);
    case Activation::gelu_tanh:
      return gelu(GeluForm::tanh, x, y, count);
    case Activation::sigmoid:  // exp overflows to infinity for large -x, which gives the right 0
      for (std::int64_t i = 0; i < count; ++i) y[i] = rounded_to<To>(T(1) / (T(1) + std::exp(-x[i])));
      return;
  }
}

template <class T, class To>
void activate_backward_any(Activation activation, const T* x, const T* y, const T* dy, To* dx, std::int64_t count) {
  switch (activation) {
    case Activation::relu:
      return relu_backward_of(x, dy, dx, count);
    case Activation::tanh:  // tanh' = 1 - tanh^2
      for (std::int64_t i = 0; i < count; ++i) dx[i] = rounded_to<To>(dy[i] * (T(1) - y[i] * y[i]));
      return;
    case Activation::gelu:
      return gelu_backward(GeluForm::erf, x, dy, dx, count);
    case Activation::gelu_tanh:
      return gelu_backward(GeluForm::tanh, x, dy, dx, count);
    case Activation::sigmoid:  // s' = s * (1 - s)
      for (std::int64_t i = 0; i < count; ++i) dx[i] = rounded_to<To>(dy[i] * y[i] * (T(1) - y[i]));
      return;
  }
}

}  // namespace

LS_MULTIVERSION void add(const float* from, float* to, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) to[i] += from[i];
}
void add(const double* from, double* to, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) to[i] += from[i];
}

LS_MULTIVERSION void add(const float* a, const float* b, float* sum, std::int64_t count) {
  LS_INDEPENDENT_LOOP
  for (std::int64_t i = 0; i < count; ++i) sum[i] = a[i] + b[i];
}
void add(const double* a, const double* b, double* sum, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) sum[i] = a[i] + b[i];
}

LS_MULTIVERSION void scale(float* values, double factor, std::int64_t count) {
  const auto by = static_cast<float>(factor);
  for (std::int64_t i = 0; i < count; ++i) values[i] *= by;
}
void scale(double* values, double factor, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) values[i] *= factor;
}

void activate(Activation activation, const float* x, float* y, std::int64_t count) {
  activate_any(activation, x, y, count);
}
void activate(Activation activation, const float* x, BFloat16* y, std::int64_t count) {
  activate_any(activation, x, y, count);
}
void activate(Activation activation, const double* x, double* y, std::int64_t count) {
  activate_any(activation, x, y, count);
}

void activate_backward(Activation activation, const float* x, const float* y, const float* dy, float* dx,
                       std::int64_t count) {
  activate_backward_any(activation, x, y, dy, dx, count);
}
void activate_backward(Activation activation, const float* x, const float* y, const float* dy, BFloat16* dx,
                       std::int64_t count) {
  activate_backward_any(activation, x, y, dy, dx, count);
}
void activate_backward(Activation activation, const double* x, const double* y, const double* dy, double* dx,
                       std::int64_t count) {
  activate_backward_any(activation, x, y, dy, dx, count);
}

}  // namespace lockstep::cpu

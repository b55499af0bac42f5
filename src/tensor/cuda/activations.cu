#include <cstdint>
#include <numbers>

#include <device_code.h>
#include "tensor/cuda/cuda_backend.h"
#include "tensor/cuda/device_data.h"
#include "tensor/cuda/each_element.h"
#include "tensor/cuda/element_types.h"

// Each function has its value, and dy times its slope: from x, or from y = f(x) if that is easier.
namespace lockstep {
namespace {

struct Relu {
  static constexpr bool kSlopeOfY = false;
  static __device__ float value(float x) { return x > 0 ? x : (x != x ? x : 0.0F); }  // NaN stays NaN
  static __device__ float gradient(float x, float dy) { return x > 0 ? dy : 0.0F; }
};

struct Tanh {
  static constexpr bool kSlopeOfY = true;
  static __device__ float value(float x) { return ::tanhf(x); }
  static __device__ float gradient(float y, float dy) { return dy * (1.0F - y * y); }
};

struct Sigmoid {
  static constexpr bool kSlopeOfY = true;
  // exp overflows to infinity for large -x, which gives the right 0
  static __device__ float value(float x) { return 1.0F / (1.0F + ::expf(-x)); }
  static __device__ float gradient(float y, float dy) { return dy * y * (1.0F - y); }
};

// x Phi(x), Phi the standard normal distribution (Hendrycks and Gimpel 2016); its slope is Phi(x) + x density(x).
struct Gelu {
  static constexpr bool kSlopeOfY = false;
  static __device__ float below(float x) { return 0.5F + 0.5F * ::erff(x * (std::numbers::sqrt2_v<float> / 2)); }
  static __device__ float value(float x) { return x * below(x); }
  static __device__ float gradient(float x, float dy) {
    constexpr float kHeight = std::numbers::inv_sqrtpi_v<float> / std::numbers::sqrt2_v<float>;
    return dy * (below(x) + x * (kHeight * ::expf(-0.5F * x * x)));
  }
};

// x sigmoid(2 u), u = sqrt(2 / pi) (x + 0.044715 x^3), which is 0.5 x (1 + tanh(u)).
struct GeluTanh {
  static constexpr bool kSlopeOfY = false;
  static constexpr float kRootOf2OverPi = std::numbers::inv_sqrtpi_v<float> * std::numbers::sqrt2_v<float>;

  struct Gate {
    float open;
    float rest;  // 1 - open, with all its digits where open is almost 1
  };
  // Beyond 20 on either side it is 0 or 1 in float32, and exp would overflow.
  static __device__ float within_20(float x) { return x < -20.0F ? -20.0F : (x > 20.0F ? 20.0F : x); }
  static __device__ Gate gate(float x) {
    const float exponent = x * (x * x * 0.044715F + 1.0F) * (-2 * kRootOf2OverPi);
    if (exponent > 88.0F) return {0.0F, 1.0F};
    const float e = ::expf(exponent);
    const float open = 1.0F / (1.0F + e);
    return {open, e * open};
  }

  static __device__ float value(float x) { return x * gate(within_20(x)).open; }
  // d/dx x s(2 u) = s + x s (1 - s) 2 u', u' = sqrt(2 / pi) (1 + 3 * 0.044715 x^2)
  static __device__ float gradient(float any, float dy) {
    const float x = within_20(any);
    const Gate s = gate(x);
    const float slope = (x * x * (3 * 0.044715F) + 1.0F) * (2 * kRootOf2OverPi);
    return dy * (s.open + x * s.open * s.rest * slope);
  }
};

template <class Function, class From, class To>
struct ActivationValue {
  __device__ float load(std::int64_t i) const { return as_float(x[i]); }
  __device__ void store(std::int64_t i, float of) const { y[i] = rounded_to<To>(Function::value(of)); }

  const From* x;
  To* y;
};

template <class Function, class From, class To>
struct ActivationGradient {
  struct Operands {
    float from;
    float dy;
  };
  __device__ Operands load(std::int64_t i) const { return {as_float(from[i]), dy[i]}; }
  __device__ void store(std::int64_t i, const Operands& of) const {
    dx[i] = rounded_to<To>(Function::gradient(of.from, of.dy));
  }

  const From* from;  // x or y
  const float* dy;
  To* dx;
};

// Calls body with the function.
template <class Body>
void with_function(Activation activation, Body body) {
  switch (activation) {
    case Activation::relu:
      return body(Relu());
    case Activation::tanh:
      return body(Tanh());
    case Activation::gelu:
      return body(Gelu());
    case Activation::gelu_tanh:
      return body(GeluTanh());
    case Activation::sigmoid:
      return body(Sigmoid());
  }
}

// Calls body with the elements of a tensor that is float32 or bfloat16.
template <class Body>
void with_elements(const Tensor& tensor, Body body) {
  if (tensor.dtype() == DType::bfloat16) return body(data_of<BFloat16>(tensor));
  body(data_of<float>(tensor));
}

// Calls body with the elements from which a slope is computed: y in float32, or x in bfloat16 as well.
template <class Function, class Body>
void with_slope(const Tensor& x, const Tensor& y, Body body) {
  if constexpr (Function::kSlopeOfY) {
    body(data_of<float>(y));
  } else {
    with_elements(x, body);
  }
}

}  // namespace

void CudaBackend::activate(Activation activation, const Tensor& x, const Tensor& y) {
  begin({x, y});
  LS_CHECK(x.count() == y.count(), "an activation of unlike tensors");
  with_function(activation, [&]<class Function>(Function) {
    with_elements(x, [&]<class From>(const From* in) {
      with_elements(y, [&]<class To>(To* out) {
        launch_each(stream_, ActivationValue<Function, From, To>{in, out}, y.count());
      });
    });
  });
}

void CudaBackend::activate_backward(Activation activation, const Tensor& x, const Tensor& y, const Tensor& dy,
                                    const Tensor& dx) {
  begin({x, y, dy, dx});
  LS_CHECK(x.count() == dx.count() && y.count() == dx.count() && dy.count() == dx.count(),
           "an activation's gradient of unlike tensors");
  with_function(activation, [&]<class Function>(Function) {
    with_slope<Function>(x, y, [&]<class From>(const From* from) {
      with_elements(dx, [&]<class To>(To* out) {
        launch_each(stream_, ActivationGradient<Function, From, To>{from, data_of<float>(dy), out}, dx.count());
      });
    });
  });
}

}  // namespace lockstep

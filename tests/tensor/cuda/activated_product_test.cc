#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "tensor/cpu/cpu_backend.h"
#include "tensor/cuda/gpu_under_test.h"
#include "tensor/half_types.h"

namespace lockstep {
namespace {

constexpr Activation kActivations[] = {Activation::relu, Activation::tanh, Activation::gelu, Activation::gelu_tanh,
                                       Activation::sigmoid};

// In the last two cuBLASLt has GELU: columns are a multiple of eight.
struct Case {
  std::int64_t m;
  std::int64_t n;
  std::int64_t k;
};
constexpr Case kCases[] = {{1, 1, 1}, {3, 5, 7}, {33, 129, 65}, {17, 8, 40}, {129, 72, 33}};

double slope_at_most(Activation activation) { return activation == Activation::relu ? 1 : 1.13; }

// Expected results in float64: x = a b + bias, and f(x).
struct Expected {
  Expected(Activation activation, const Host<float>& a, const Host<float>& b, const Host<float>& bias)
      : x({a.shape[0], b.shape[1]}), y(x.shape) {
    auto a64 = doubled(a);
    auto b64 = doubled(b);
    auto bias64 = doubled(bias);
    make_cpu_backend()->product_with_activation(activation, a64.tensor(), b64.tensor(),
                                                bias.data.empty() ? Tensor() : bias64.tensor(), x.tensor(), y.tensor());
  }
  Host<double> x;
  Host<double> y;
};

Host<BFloat16> rounded(const Host<float>& values) {
  std::vector<BFloat16> narrow;
  for (const float value : values.data) narrow.push_back(narrowed<BFloat16>(value));
  return Host<BFloat16>::of(values.shape, narrow);
}

Host<float> widened_all(const Shape& shape, const std::vector<BFloat16>& values) {
  std::vector<float> wide;
  for (const BFloat16 value : values) wide.push_back(widened(value));
  return Host<float>::of(shape, wide);
}

// k products of values below 1, and a bias; f adds a few units in the last place of x.
TEST_CASE("a product with its activation is within rounding of float64's, and keeps what the slope takes") {
  on_gpu([](Backend& backend) {
    for (const Activation activation : kActivations) {
      for (const Case& size : kCases) {
        for (const bool with_bias : {true, false}) {
          CAPTURE(activation);
          CAPTURE(size.n);
          const Host<float> a({size.m, size.k}, 1), b({size.k, size.n}, 2), bias({with_bias ? size.n : 0}, 3);
          const Expected expected(activation, a, b, bias);
          const OnGpu<float> a_there(backend, a), b_there(backend, b), bias_there(backend, bias);
          const OnGpu<float> x(backend, expected.x.shape), y(backend, expected.x.shape);
          const bool replaces = activation == Activation::relu;
          REQUIRE(backend.activation_input_type(activation, DType::float32) == DType::float32);
          backend.product_with_activation(activation, a_there.tensor, b_there.tensor, bias_there.tensor,
                                          replaces ? y.tensor : x.tensor, y.tensor);
          const double bound = 2e-6 * static_cast<double>(size.k + 1);
          CHECK(largest_difference(y.read(), expected.y.data) < slope_at_most(activation) * bound);
          if (!replaces) CHECK(largest_difference(x.read(), expected.x.data) < bound);
        }
      }
    }
  });
}

// In bfloat16, x and y are rounded to 8 bits, and possibly the bias, too; |x| < k + 1.
TEST_CASE("a product of bfloat16 with its activation writes both as bfloat16 has them, for the slope as well") {
  const auto cpu = make_cpu_backend();
  on_gpu([&](Backend& backend) {
    for (const Activation activation : {Activation::relu, Activation::gelu, Activation::gelu_tanh}) {
      for (const Case& size : kCases) {
        CAPTURE(activation);
        CAPTURE(size.n);
        const Host<BFloat16> a = rounded(Host<float>({size.m, size.k}, 1));
        const Host<BFloat16> b = rounded(Host<float>({size.k, size.n}, 2));
        const Host<float> bias({size.n}, 3);
        const Expected expected(activation, widened_all(a.shape, a.data), widened_all(b.shape, b.data), bias);
        const OnGpu<BFloat16> a_there(backend, a), b_there(backend, b);
        const OnGpu<float> bias_there(backend, bias);
        const OnGpu<BFloat16> x(backend, expected.x.shape), y(backend, expected.x.shape);
        const Tensor kept = activation == Activation::relu ? y.tensor : x.tensor;
        REQUIRE(backend.activation_input_type(activation, DType::bfloat16) == DType::bfloat16);
        backend.product_with_activation(activation, a_there.tensor, b_there.tensor, bias_there.tensor, kept, y.tensor);
        const Host<float> y_here = widened_all(expected.x.shape, y.read());
        double largest = 0;  // error of y, in units of its bound
        for (std::size_t i = 0; i < y_here.data.size(); ++i) {
          const double of_x = std::ldexp(std::abs(expected.x.data[i]) + 1, -8);
          const double bound = slope_at_most(activation) * of_x + std::ldexp(std::abs(expected.y.data[i]), -8);
          largest = std::max(largest, std::abs(static_cast<double>(y_here.data[i]) - expected.y.data[i]) / bound);
        }
        CHECK(largest < 1);

        const OnGpu<float> dy(backend, Host<float>(expected.x.shape, 4));
        const OnGpu<BFloat16> dx(backend, expected.x.shape);
        backend.activate_backward(activation, kept, y.tensor, dy.tensor, dx.tensor);
        Host<double> x64 = doubled(widened_all(expected.x.shape, activation == Activation::relu ? y.read() : x.read()));
        Host<double> dx64 = doubled(Host<float>(expected.x.shape, 4));
        cpu->activate_backward(activation, x64.tensor(), x64.tensor(), dx64.tensor(), dx64.tensor());
        CHECK(largest_difference(widened_all(expected.x.shape, dx.read()).data, dx64.data) < std::ldexp(1.2, -8));
      }
    }
  });
}

TEST_CASE("a product with its activation of no rows writes nothing, of operands that do not fit it is an error") {
  const auto backend = gpu();
  const OnGpu<float> none(*backend, Shape{0, 3}), square(*backend, Shape{3, 3}), bias(*backend, Shape{3});
  const OnGpu<float> other_bias(*backend, Shape{4});
  backend->product_with_activation(Activation::gelu, none.tensor, square.tensor, bias.tensor, none.tensor, none.tensor);
  CHECK_THROWS_AS(backend->product_with_activation(Activation::relu, square.tensor, square.tensor, other_bias.tensor,
                                                   square.tensor, square.tensor),
                  Error);
}

}  // namespace
}  // namespace lockstep

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "base/error.h"
#include "tensor/cpu/cpu_backend.h"
#include "tensor/cuda/gpu_under_test.h"
#include "tensor/half_types.h"

namespace lockstep {
namespace {

constexpr Activation kActivations[] = {Activation::relu, Activation::tanh, Activation::gelu, Activation::gelu_tanh,
                                       Activation::sigmoid};
constexpr std::int64_t kSizes[] = {0, 1, 17, 513, 4099};

// Arguments on both sides of 0, including very large ones.
Host<float> arguments(std::int64_t count) {
  Host<float> x({count}, 1);
  for (float& value : x.data) value *= 12;
  const float far[] = {0, 100, -100, 1e4F, -1e4F, 1e18F, -1e18F, 1e30F, -1e30F};
  if (count > 513) std::copy(std::begin(far), std::end(far), x.data.begin() + 70);
  return x;
}

// Returns the largest |a - b| / scale, NaN if any is NaN.
template <class Scale>
double largest_error(const std::vector<float>& a, const std::vector<double>& b, Scale scale) {
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double error = std::abs(static_cast<double>(a[i]) - b[i]) / scale(i);
    if (std::isnan(error)) return error;
    largest = std::max(largest, error);
  }
  return largest;
}

bool slope_is_of_y(Activation activation) {
  return activation == Activation::tanh || activation == Activation::sigmoid;
}

// exp, tanh and erf of a GPU are within 2 units in the last place, so a value is within 5e-7 including other roundings:
// of the largest value, or of x, by which GELU multiplies.
TEST_CASE("activations and their slopes are within 5e-7 of float64's") {
  const auto cpu = make_cpu_backend();
  on_gpu([&](Backend& backend) {
    for (const Activation activation : kActivations) {
      for (const std::int64_t count : kSizes) {
        CAPTURE(activation);
        CAPTURE(count);
        const Host<float> x = arguments(count);
        const Host<float> dy({count}, 2);
        auto x64 = doubled(x);
        Host<double> y64({count});
        cpu->activate(activation, x64.tensor(), y64.tensor());
        const OnGpu<float> x_there(backend, x);
        const OnGpu<float> y(backend, x.shape);
        backend.activate(activation, x_there.tensor, y.tensor);
        CHECK(largest_error(y.read(), y64.data, [&](std::size_t i) { return std::max(1.0, std::abs(x64.data[i])); }) <
              5e-7);

        const OnGpu<float> dy_there(backend, dy);
        const OnGpu<float> dx(backend, x.shape);
        backend.activate_backward(activation, x_there.tensor, y.tensor, dy_there.tensor, dx.tensor);
        auto y_of_gpu = doubled(Host<float>::of(x.shape, y.read()));  // so that errors of y do not count
        auto dy64 = doubled(dy);
        cpu->activate_backward(activation, x64.tensor(), y_of_gpu.tensor(), dy64.tensor(), dy64.tensor());
        CHECK(largest_difference(dx.read(), dy64.data) < 5e-7);
        backend.activate_backward(activation, x_there.tensor, y.tensor, dy_there.tensor, dy_there.tensor);
        CHECK(dy_there.read() == dx.read());
      }
    }
  });
}

TEST_CASE("ReLU and its gradient are the CPU's, bit for bit") {
  const auto cpu = make_cpu_backend();
  on_gpu([&](Backend& backend) {
    Host<float> x = arguments(4099);
    Host<float> dy(x.shape, 2);
    Host<float> expected(x.shape);
    const OnGpu<float> x_there(backend, x);
    const OnGpu<float> dy_there(backend, dy);
    const OnGpu<float> result(backend, x.shape);
    backend.activate(Activation::relu, x_there.tensor, result.tensor);
    cpu->activate(Activation::relu, x.tensor(), expected.tensor());
    CHECK(result.read() == expected.data);
    backend.activate_backward(Activation::relu, x_there.tensor, x_there.tensor, dy_there.tensor, result.tensor);
    cpu->activate_backward(Activation::relu, x.tensor(), x.tensor(), dy.tensor(), expected.tensor());
    CHECK(result.read() == expected.data);
  });
}

void check_rounded(const std::vector<BFloat16>& narrow, const std::vector<float>& wide) {
  for (std::size_t i = 0; i < wide.size(); ++i) REQUIRE(narrow[i].bits == narrowed<BFloat16>(wide[i]).bits);
}

TEST_CASE("activations and their gradients of bfloat16 are those of float32, rounded") {
  on_gpu([](Backend& backend) {
    for (const Activation activation : kActivations) {
      for (const std::int64_t count : kSizes) {
        CAPTURE(activation);
        CAPTURE(count);
        const OnGpu<float> x(backend, arguments(count));
        const OnGpu<float> dy(backend, Host<float>({count}, 2));
        const OnGpu<float> wide(backend, Shape{count});
        const OnGpu<BFloat16> narrow(backend, Shape{count});
        backend.activate(activation, x.tensor, wide.tensor);
        backend.activate(activation, x.tensor, narrow.tensor);
        check_rounded(narrow.read(), wide.read());

        const OnGpu<float> dx(backend, Shape{count});
        const OnGpu<BFloat16> narrow_dx(backend, Shape{count});
        const Tensor& y = slope_is_of_y(activation) ? wide.tensor : narrow.tensor;
        backend.activate_backward(activation, x.tensor, wide.tensor, dy.tensor, dx.tensor);
        backend.activate_backward(activation, x.tensor, y, dy.tensor, narrow_dx.tensor);
        check_rounded(narrow_dx.read(), dx.read());
      }
    }
  });
}

TEST_CASE("a gradient that is computed from y refuses one of bfloat16") {
  const auto backend = gpu();
  const OnGpu<float> x(*backend, Shape{5});
  const OnGpu<BFloat16> y(*backend, Shape{5});
  const OnGpu<float> longer(*backend, Shape{6});
  for (const Activation activation : {Activation::tanh, Activation::sigmoid}) {
    CHECK_THROWS_AS(backend->activate_backward(activation, x.tensor, y.tensor, x.tensor, x.tensor), Error);
  }
  CHECK_THROWS_AS(backend->activate(Activation::relu, x.tensor, longer.tensor), Error);
  CHECK_THROWS_AS(backend->activate_backward(Activation::relu, x.tensor, x.tensor, x.tensor, longer.tensor), Error);
}

TEST_CASE("NaN goes through every activation and its gradient, so that it is found") {
  on_gpu([](Backend& backend) {
    const float nan = std::numeric_limits<float>::quiet_NaN();
    const OnGpu<float> x(backend, Host<float>::of({3}, {1, nan, 2}));
    const OnGpu<float> dy(backend, Host<float>::of({3}, {1, 1, nan}));
    for (const Activation activation : kActivations) {
      CAPTURE(activation);
      const OnGpu<float> y(backend, Shape{3});
      const OnGpu<float> dx(backend, Shape{3});
      backend.activate(activation, x.tensor, y.tensor);
      backend.activate_backward(activation, x.tensor, y.tensor, dy.tensor, dx.tensor);
      CHECK(std::isfinite(y.read()[0]));
      CHECK(std::isnan(y.read()[1]));
      CHECK(std::isfinite(dx.read()[0]));
      CHECK(std::isnan(dx.read()[1]) == (activation != Activation::relu));  // ReLU's slope is 0 there, as on the CPU
      CHECK(std::isnan(dx.read()[2]));
    }
  });
}

}  // namespace
}  // namespace lockstep

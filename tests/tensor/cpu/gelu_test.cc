#include "tensor/cpu/gelu.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "generations.h"

namespace lockstep::cpu {
namespace {

std::vector<double> doubles(const std::vector<float>& values) { return {values.begin(), values.end()}; }

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

TEST_CASE("both forms of GELU and their slopes are within 5e-7 of the true ones, from the far left to the far right") {
  std::vector<float> x;
  for (int i = -200000; i <= 200000; ++i) x.push_back(static_cast<float>(i) * 2e-4F);  // up to 40
  for (const float size : {100.0F, 1e4F, 1e18F, 1e30F}) x.insert(x.end(), {-size, size});
  std::vector<float> dy(x.size());
  for (std::size_t i = 0; i < dy.size(); ++i) dy[i] = i % 2 == 0 ? 1 : -3;
  const auto count = static_cast<std::int64_t>(x.size());
  for (const GeluForm form : {GeluForm::erf, GeluForm::tanh}) {
    std::vector<double> y64(x.size());
    std::vector<double> dx64(x.size());
    gelu(form, doubles(x).data(), y64.data(), count);
    gelu_backward(form, doubles(x).data(), doubles(dy).data(), dx64.data(), count);
    for (const Generation generation : generations()) {
      CAPTURE(form);
      CAPTURE(generation);
      std::vector<float> y(x.size());
      gelu(form, x.data(), y.data(), count, generation);
      CHECK(largest_error(y, y64, [&](std::size_t i) { return std::max(1e-3, std::abs(static_cast<double>(x[i]))); }) <
            5e-7);
      std::vector<float> dx = dy;
      gelu_backward(form, x.data(), dx.data(), dx.data(), count, generation);
      CHECK(largest_error(dx, dx64, [&](std::size_t i) { return std::abs(static_cast<double>(dy[i])); }) < 5e-7);
    }
  }
}

TEST_CASE("GELU far to the left is zero, its slope too, and far to the right nothing is changed") {
  for (const GeluForm form : {GeluForm::erf, GeluForm::tanh}) {
    for (const Generation generation : generations()) {
      for (const float size : {6.0F, 1e4F, 1e18F, 1e30F}) {
        std::vector<float> x{-size, size};
        std::vector<float> dx{3, 3};
        gelu_backward(form, x.data(), dx.data(), dx.data(), 2, generation);
        CHECK(dx == std::vector<float>{0, 3});
        gelu(form, x.data(), x.data(), 2, generation);
        CHECK(x == std::vector<float>{0, size});
      }
    }
  }
}

TEST_CASE("GELU of an element does not depend on its place: any count, in place") {
  for (const GeluForm form : {GeluForm::erf, GeluForm::tanh}) {
    for (const Generation generation : generations()) {
      for (std::int64_t count = 0; count <= 35; ++count) {
        std::vector<float> y(static_cast<std::size_t>(count), -0.7F);
        gelu(form, y.data(), y.data(), count, generation);
        std::vector<float> alone{-0.7F};
        gelu(form, alone.data(), alone.data(), 1, generation);
        CHECK(std::ranges::count(y, alone[0]) == count);
      }
    }
  }
}

TEST_CASE("GELU and its slope into bfloat16 are what float would be, rounded") {
  for (const GeluForm form : {GeluForm::erf, GeluForm::tanh}) {
    for (const Generation generation : generations()) {
      for (const std::int64_t count : {1, 3, 17, 513}) {
        std::vector<float> x(static_cast<std::size_t>(count));
        for (std::size_t i = 0; i < x.size(); ++i) x[i] = 0.031F * static_cast<float>(i) - 7;
        std::vector<float> wide(x.size());
        std::vector<BFloat16> narrow(x.size());
        const auto check_same = [&] {
          for (std::size_t i = 0; i < x.size(); ++i) REQUIRE(narrow[i].bits == narrowed<BFloat16>(wide[i]).bits);
        };
        gelu(form, x.data(), wide.data(), count, generation);
        gelu(form, x.data(), narrow.data(), count, generation);
        check_same();
        gelu_backward(form, x.data(), x.data(), wide.data(), count, generation);
        gelu_backward(form, x.data(), x.data(), narrow.data(), count, generation);
        check_same();
      }
    }
  }
}

TEST_CASE("GELU lets NaN through, so that it is found") {
  for (const GeluForm form : {GeluForm::erf, GeluForm::tanh}) {
    for (const Generation generation : generations()) {
      std::vector<float> x{1, std::numeric_limits<float>::quiet_NaN(), 2};
      gelu(form, x.data(), x.data(), 3, generation);
      CHECK(std::isnan(x[1]));
      CHECK(std::isfinite(x[0]));
      std::vector<float> dx{1, 1, std::numeric_limits<float>::quiet_NaN()};
      gelu_backward(form, x.data(), dx.data(), dx.data(), 3, generation);
      CHECK(std::isnan(dx[1]));
      CHECK(std::isnan(dx[2]));
    }
  }
}

}  // namespace
}  // namespace lockstep::cpu

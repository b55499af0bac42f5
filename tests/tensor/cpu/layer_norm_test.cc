#include "tensor/cpu/layer_norm.h"

#include <doctest/doctest.h>

#include <limits>
#include <vector>

#include "generations.h"
#include "host_tensor.h"
#include "tensor/cpu/layer_kernels.h"

namespace lockstep::cpu {
namespace {

constexpr double kEpsilon = 1e-5;

// Channels: less than a register, several registers with a remainder, more than are summed in float at once; fewer and
// more rows than a register has lanes.
const std::vector<std::int64_t> kChannels{1, 3, 17, 64, 130, 513, 1030};
const std::vector<std::int64_t> kRows{0, 1, 5, 33};

// A batch of rows, and the norm's results.
template <class T>
struct Norm {
  Norm(std::int64_t row_count, std::int64_t channel_count)
      : rows(row_count),
        channels(channel_count),
        x({rows, channels}, 1),
        scale({channels}, 2),
        shift({channels}, 3),
        dy({rows, channels}, 4),
        y({rows, channels}),
        dx({rows, channels}),
        mean({rows}),
        inverse({rows}),
        dscale({channels}),
        dshift({channels}) {
    for (T& value : x.data) value = value * 3 + 5;  // away from 0
  }

  void run(Generation generation) {
    layer_norm(rows, channels, kEpsilon, x.data.data(), scale.data.data(), shift.data.data(), y.data.data(),
               mean.data.data(), inverse.data.data(), generation);
    layer_norm_backward(rows, channels, x.data.data(), scale.data.data(), mean.data.data(), inverse.data.data(),
                        dy.data.data(), dx.data.data(), dscale.data.data(), dshift.data.data(), generation);
  }
  // Runs the loops that take any shape.
  void run_any() {
    const NormShape shape{.samples = rows, .positions = 1, .channels = channels, .groups = 1};
    normalize(shape, kEpsilon, x.data.data(), scale.data.data(), shift.data.data(), y.data.data(), mean.data.data(),
              inverse.data.data());
    normalize_backward(shape, x.data.data(), scale.data.data(), mean.data.data(), inverse.data.data(), dy.data.data(),
                       dx.data.data(), dscale.data.data(), dshift.data.data());
  }

  std::int64_t rows, channels;
  Host<T> x, scale, shift, dy, y, dx, mean, inverse, dscale, dshift;
};

template <class Body>
void each_case(Body body) {
  for (const Generation generation : generations()) {
    for (const std::int64_t channels : kChannels) {
      for (const std::int64_t rows : kRows) {
        CAPTURE(generation);
        CAPTURE(channels);
        CAPTURE(rows);
        body(generation, rows, channels);
      }
    }
  }
}

TEST_CASE("layer norm and its gradients agree with float64, by the registers of every generation") {
  each_case([](Generation generation, std::int64_t rows, std::int64_t channels) {
    Norm<float> norm(rows, channels);
    Norm<double> reference(rows, channels);
    reference.x = doubled(norm.x);
    norm.run(generation);
    reference.run_any();
    const double tolerance = channels == 1 ? 2e-3 : 1e-5;  // 1: rounding, amplified by 1 / sqrt(epsilon)
    const auto terms = static_cast<double>(rows + 1);
    CHECK(largest_difference(norm.mean.data, reference.mean.data) < 2e-6);
    CHECK(largest_difference(norm.y.data, reference.y.data) < tolerance);
    CHECK(largest_difference(norm.dx.data, reference.dx.data) < tolerance);
    CHECK(largest_difference(norm.dscale.data, reference.dscale.data) < tolerance * terms);
    CHECK(largest_difference(norm.dshift.data, reference.dshift.data) < tolerance * terms);
  });
}

TEST_CASE("a row's results do not depend on the rows beside it, and gradients add up row after row") {
  each_case([](Generation generation, std::int64_t rows, std::int64_t channels) {
    Norm<float> together(rows, channels);
    together.run(generation);
    Norm<float> alone(1, channels);
    std::vector<float> dshift(static_cast<std::size_t>(channels), 0.0F);
    for (std::int64_t r = 0; r < rows; ++r) {
      const auto row_of = [&](const Host<float>& matrix) {
        const auto begin = matrix.data.begin() + r * channels;
        return std::vector<float>(begin, begin + channels);
      };
      alone.x.data = row_of(together.x);
      alone.dy.data = row_of(together.dy);
      alone.run(generation);
      CHECK(alone.y.data == row_of(together.y));
      CHECK(alone.dx.data == row_of(together.dx));
      for (std::size_t c = 0; c < dshift.size(); ++c) dshift[c] += alone.dy.data[c];
    }
    CHECK(together.dshift.data == dshift);
  });
}

TEST_CASE("layer norm into bfloat16 is what float would be, rounded; the gradient may replace what it is made from") {
  each_case([](Generation generation, std::int64_t rows, std::int64_t channels) {
    Norm<float> norm(rows, channels);
    norm.run(generation);
    std::vector<BFloat16> y(norm.y.data.size());
    layer_norm(rows, channels, kEpsilon, norm.x.data.data(), norm.scale.data.data(), norm.shift.data.data(), y.data(),
               norm.mean.data.data(), norm.inverse.data.data(), generation);
    for (std::size_t i = 0; i < y.size(); ++i) REQUIRE(y[i].bits == narrowed<BFloat16>(norm.y.data[i]).bits);

    const std::vector<float> dscale = norm.dscale.data;
    layer_norm_backward(rows, channels, norm.x.data.data(), norm.scale.data.data(), norm.mean.data.data(),
                        norm.inverse.data.data(), norm.dy.data.data(), norm.dy.data.data(), norm.dscale.data.data(),
                        norm.dshift.data.data(), generation);
    CHECK(norm.dy.data == norm.dx.data);
    CHECK(norm.dscale.data == dscale);
  });
}

TEST_CASE("layer norm lets NaN through, so that it is found, and to its own row alone") {
  for (const Generation generation : generations()) {
    Norm<float> norm(3, 19);
    norm.x.data[19 + 18] = std::numeric_limits<float>::quiet_NaN();
    norm.run(generation);
    std::vector<BFloat16> y(norm.y.data.size());
    layer_norm(3, 19, kEpsilon, norm.x.data.data(), norm.scale.data.data(), norm.shift.data.data(), y.data(),
               norm.mean.data.data(), norm.inverse.data.data(), generation);
    for (std::size_t i = 0; i < y.size(); ++i) {
      CHECK(std::isnan(norm.y.data[i]) == (i / 19 == 1));
      CHECK(std::isnan(widened(y[i])) == (i / 19 == 1));
    }
  }
}

}  // namespace
}  // namespace lockstep::cpu

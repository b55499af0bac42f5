#include <doctest/doctest.h>

#include "host_tensor.h"
#include "tensor/cpu/cpu_backend.h"
#include "tensor/half_types.h"

namespace lockstep {
namespace {

constexpr double kEpsilon = 1e-5;

struct Case {
  std::int64_t samples, positions, channels, groups;
};

// Groups of one channel, of all channels, of more than the loops process at once; odd sizes; no samples.
const std::vector<Case> kCases{{3, 1, 7, 1},   {2, 5, 6, 3},      {4, 9, 1, 1},    {1, 49, 20, 20}, {2, 3, 1030, 2},
                               {2, 2, 520, 1}, {1, 4, 1100, 550}, {2, 1, 1536, 3}, {5, 12, 24, 8},  {0, 4, 6, 2}};

// Everything that a norm reads and writes, filled with values.
template <class T>
struct Norm {
  explicit Norm(const Case& c)
      : size(c),
        x({c.samples, c.positions, c.channels}, 1),
        scale({c.channels}, 2),
        shift({c.channels}, 3),
        dy({c.samples, c.positions, c.channels}, 4),
        y(x.shape),
        dx(x.shape),
        dscale({c.channels}),
        dshift({c.channels}),
        mean({c.samples, c.groups}),
        inverse({c.samples, c.groups}) {
    for (std::size_t i = 0; i < x.data.size(); ++i) x.data[i] = x.data[i] * 3 + static_cast<T>(5);  // away from 0
  }

  void run(Backend& backend) {
    backend.normalize(kEpsilon, x.tensor(), scale.tensor(), shift.tensor(), y.tensor(), mean.tensor(),
                      inverse.tensor());
    backend.normalize_backward(x.tensor(), scale.tensor(), mean.tensor(), inverse.tensor(), dy.tensor(), dx.tensor(),
                               dscale.tensor(), dshift.tensor());
  }

  Case size;
  Host<T> x, scale, shift, dy, y, dx, dscale, dshift, mean, inverse;
};

struct Reference {
  std::vector<double> y, dx, dscale, dshift;
};

// Visits the flat indices of x that share a mean.
template <class Visit>
void visit_group(const Case& size, std::int64_t sample, std::int64_t group, Visit visit) {
  const std::int64_t width = size.channels / size.groups;
  for (std::int64_t p = 0; p < size.positions; ++p) {
    for (std::int64_t c = group * width; c < (group + 1) * width; ++c) {
      visit(static_cast<std::size_t>((sample * size.positions + p) * size.channels + c), static_cast<std::size_t>(c));
    }
  }
}

Reference reference_of(const Norm<double>& norm) {
  const Case& size = norm.size;
  const std::int64_t elements = size.positions * size.channels / size.groups;
  const auto n = static_cast<double>(elements);
  const auto channels = static_cast<std::size_t>(size.channels);
  Reference result{.y = std::vector<double>(norm.x.data.size()),
                   .dx = std::vector<double>(norm.x.data.size()),
                   .dscale = std::vector<double>(channels),
                   .dshift = std::vector<double>(channels)};
  for (std::int64_t m = 0; m < size.samples; ++m) {
    for (std::int64_t g = 0; g < size.groups; ++g) {
      double mean = 0;
      double variance = 0;
      double sum_d = 0;
      double sum_dn = 0;
      visit_group(size, m, g, [&](std::size_t i, std::size_t) { mean += norm.x.data[i] / n; });
      visit_group(size, m, g, [&](std::size_t i, std::size_t) {
        variance += (norm.x.data[i] - mean) * (norm.x.data[i] - mean) / n;
      });
      const double inverse = 1 / std::sqrt(variance + kEpsilon);
      visit_group(size, m, g, [&](std::size_t i, std::size_t c) {
        const double normal = (norm.x.data[i] - mean) * inverse;
        result.y[i] = normal * norm.scale.data[c] + norm.shift.data[c];
        result.dscale[c] += norm.dy.data[i] * normal;
        result.dshift[c] += norm.dy.data[i];
        sum_d += norm.dy.data[i] * norm.scale.data[c] / n;
        sum_dn += norm.dy.data[i] * norm.scale.data[c] * normal / n;
      });
      visit_group(size, m, g, [&](std::size_t i, std::size_t c) {
        const double normal = (norm.x.data[i] - mean) * inverse;
        result.dx[i] = inverse * (norm.dy.data[i] * norm.scale.data[c] - sum_d - normal * sum_dn);
      });
    }
  }
  return result;
}

// Each tolerance is for values around 1; sums over samples and positions may be larger.
template <class T>
void check_norm(Norm<T>& norm, const Reference& reference, double tolerance) {
  const auto terms = static_cast<double>(norm.size.samples * norm.size.positions + 1);
  CHECK(largest_difference(norm.y.data, reference.y) < tolerance);
  CHECK(largest_difference(norm.dx.data, reference.dx) < tolerance);
  CHECK(largest_difference(norm.dscale.data, reference.dscale) < tolerance * terms);
  CHECK(largest_difference(norm.dshift.data, reference.dshift) < tolerance * terms);
}

TEST_CASE("norms and their gradients agree with the formulas in float64, in both precisions") {
  const auto backend = make_cpu_backend();
  for (const Case& size : kCases) {
    CAPTURE(size.samples);
    CAPTURE(size.positions);
    CAPTURE(size.channels);
    CAPTURE(size.groups);
    Norm<double> in_double(size);
    Norm<float> in_float(size);
    in_double.x = doubled(in_float.x);
    const Reference reference = reference_of(in_double);
    in_double.run(*backend);
    in_float.run(*backend);
    check_norm(in_double, reference, 1e-11);
    // One element is its own mean: the differences are rounding, amplified by 1 / sqrt(epsilon).
    check_norm(in_float, reference, size.positions * size.channels == size.groups ? 2e-3 : 1e-5);
  }
}

TEST_CASE("a norm whose input's gradient is not wanted gives those of its variables alone") {
  const auto backend = make_cpu_backend();
  Norm<float> whole({2, 5, 6, 3});
  whole.run(*backend);
  Host<float> dscale({6});
  Host<float> dshift({6});
  backend->normalize_backward(whole.x.tensor(), whole.scale.tensor(), whole.mean.tensor(), whole.inverse.tensor(),
                              whole.dy.tensor(), {}, dscale.tensor(), dshift.tensor());
  CHECK(dscale.data == whole.dscale.data);
  CHECK(dshift.data == whole.dshift.data);
}

TEST_CASE("a norm's result of bfloat16 is that of float32, rounded; its gradient may replace what it is made from") {
  const auto backend = make_cpu_backend();
  for (const Case& size : kCases) {
    CAPTURE(size.channels);
    Norm<float> norm(size);
    norm.run(*backend);
    std::vector<BFloat16> y(norm.y.data.size());
    backend->normalize(kEpsilon, norm.x.tensor(), norm.scale.tensor(), norm.shift.tensor(),
                       Tensor(y.data(), DType::bfloat16, norm.x.shape), norm.mean.tensor(), norm.inverse.tensor());
    for (std::size_t i = 0; i < y.size(); ++i) REQUIRE(y[i].bits == narrowed<BFloat16>(norm.y.data[i]).bits);
    backend->normalize_backward(norm.x.tensor(), norm.scale.tensor(), norm.mean.tensor(), norm.inverse.tensor(),
                                norm.dy.tensor(), norm.dy.tensor(), norm.dscale.tensor(), norm.dshift.tensor());
    CHECK(norm.dy.data == norm.dx.data);
  }
}

TEST_CASE("groups that do not divide the channels are refused") {
  const auto backend = make_cpu_backend();
  Norm<float> norm({2, 5, 6, 3});
  Host<float> four({2, 4});
  CHECK_THROWS_WITH_AS(backend->normalize(kEpsilon, norm.x.tensor(), norm.scale.tensor(), norm.shift.tensor(),
                                          norm.y.tensor(), four.tensor(), four.tensor()),
                       doctest::Contains("6 channels in 4 groups"), Error);
}

TEST_CASE("standardization, channel by channel") {
  const auto backend = make_cpu_backend();
  for (const Shape& shape : {Shape{3, 2, 2, 3}, Shape{7, 1}, Shape{0, 4}, Shape{33, 5}}) {
    CAPTURE(shape.text());
    const std::int64_t channels = shape[shape.rank() - 1];
    Host<float> x(shape, 1);
    Host<float> mean({channels}, 2);
    Host<float> stddev({channels}, 3);
    for (float& value : stddev.data) value = std::abs(value) + 0.5F;
    Host<float> y(shape);
    std::vector<double> expected;
    for (std::size_t i = 0; i < x.data.size(); ++i) {
      const std::size_t c = i % static_cast<std::size_t>(channels);
      expected.push_back((static_cast<double>(x.data[i]) - static_cast<double>(mean.data[c])) /
                         static_cast<double>(stddev.data[c]));
    }
    backend->standardize(x.tensor(), mean.tensor(), stddev.tensor(), y.tensor());
    CHECK(largest_difference(y.data, expected) < 1e-6);
  }
}

}  // namespace
}  // namespace lockstep

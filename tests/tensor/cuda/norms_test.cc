#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

#include "tensor/cpu/cpu_backend.h"
#include "tensor/cuda/gpu_under_test.h"
#include "tensor/half_types.h"

namespace lockstep {
namespace {

constexpr double kEpsilon = 1e-5;

struct Case {
  std::int64_t samples, positions, channels, groups;
};

// Layer norm: fewer channels than a warp's threads, some and all channels in registers, and more; more rows than blocks
// process at once. Group norm: groups of one channel, of all channels; one slice of positions, and several; no samples.
const std::vector<Case> kCases{{0, 1, 7, 1},    {3, 1, 1, 1},    {3, 1, 7, 1},    {33, 1, 17, 1},   {2, 1, 257, 1},
                               {2, 1, 1030, 1}, {1, 1, 4096, 1}, {2, 1, 4099, 1}, {1500, 1, 33, 1}, {2, 5, 6, 3},
                               {4, 9, 1, 1},    {1, 49, 20, 20}, {2, 3, 1030, 2}, {2, 2, 520, 1},   {1, 4, 1100, 550},
                               {2, 1, 1536, 3}, {5, 12, 24, 8},  {0, 4, 6, 2},    {2, 200, 66, 3},  {70, 65, 4, 2}};

// Inputs of a norm; x is away from 0.
template <class T>
struct Inputs {
  explicit Inputs(const Case& c)
      : x({c.samples, c.positions, c.channels}, 1),
        scale({c.channels}, 2),
        shift({c.channels}, 3),
        dy({c.samples, c.positions, c.channels}, 4) {
    for (T& value : x.data) value = value * 3 + 5;
  }

  Host<T> x, scale, shift, dy;
};

// Results of a norm, in the order of the operations' parameters.
template <class T>
struct Results {
  std::vector<T> y, mean, inverse, dx, dscale, dshift;
};

// Computes the results on the CPU in float64, from the same numbers.
Results<double> reference_of(const Case& c) {
  const auto backend = make_cpu_backend();
  Inputs<double> in(c);
  in.x = doubled(Inputs<float>(c).x);
  Host<double> y(in.x.shape), dx(in.x.shape), mean({c.samples, c.groups}), inverse({c.samples, c.groups}),
      dscale({c.channels}), dshift({c.channels});
  backend->normalize(kEpsilon, in.x.tensor(), in.scale.tensor(), in.shift.tensor(), y.tensor(), mean.tensor(),
                     inverse.tensor());
  backend->normalize_backward(in.x.tensor(), in.scale.tensor(), mean.tensor(), inverse.tensor(), in.dy.tensor(),
                              dx.tensor(), dscale.tensor(), dshift.tensor());
  return {y.data, mean.data, inverse.data, dx.data, dscale.data, dshift.data};
}

class NormOnGpu {
 public:
  NormOnGpu(Backend& backend, const Case& c) : NormOnGpu(backend, c, Inputs<float>(c)) {}
  NormOnGpu(Backend& backend, const Case& c, const Inputs<float>& in)
      : backend_(backend),
        size_(c),
        x(backend, in.x),
        scale(backend, in.scale),
        shift(backend, in.shift),
        dy(backend, in.dy),
        mean(backend, Shape{c.samples, c.groups}),
        inverse(backend, Shape{c.samples, c.groups}) {}

  template <class To>
  std::vector<To> forward() const {
    const OnGpu<To> y(backend_, x.tensor.shape());
    backend_.normalize(kEpsilon, x.tensor, scale.tensor, shift.tensor, y.tensor, mean.tensor, inverse.tensor);
    return y.read();
  }
  Results<float> run() const {
    const std::vector<float> y = forward<float>();
    const OnGpu<float> dx(backend_, x.tensor.shape());
    return backward(y, dx.tensor);
  }
  // dx: empty, or the place for the gradient.
  Results<float> backward(const std::vector<float>& y, const Tensor& dx) const {
    const OnGpu<float> dscale(backend_, Shape{size_.channels});
    const OnGpu<float> dshift(backend_, Shape{size_.channels});
    backend_.normalize_backward(x.tensor, scale.tensor, mean.tensor, inverse.tensor, dy.tensor, dx, dscale.tensor,
                                dshift.tensor);
    Host<float> dx_there(dx.shape());
    if (!dx.empty()) backend_.copy(dx, dx_there.tensor());
    backend_.synchronize();
    return {y, mean.read(), inverse.read(), dx_there.data, dscale.read(), dshift.read()};
  }

 private:
  Backend& backend_;
  Case size_;

 public:
  OnGpu<float> x, scale, shift, dy, mean, inverse;
};

void capture_and(const Case& c, const std::function<void()>& body) {
  CAPTURE(c.samples);
  CAPTURE(c.positions);
  CAPTURE(c.channels);
  CAPTURE(c.groups);
  body();
}

TEST_CASE("norms and their gradients agree with the formulas in float64") {
  std::vector<Results<double>> references;
  references.reserve(kCases.size());
  for (const Case& c : kCases) references.push_back(reference_of(c));
  on_gpu([&](Backend& backend) {
    for (std::size_t i = 0; i < kCases.size(); ++i) {
      const Case& c = kCases[i];
      capture_and(c, [&] {
        const Results<float> results = NormOnGpu(backend, c).run();
        const Results<double>& expected = references[i];
        // One element is its own mean: the differences are rounding, amplified by 1 / sqrt(epsilon). For values around
        // 1; sums over samples and positions may be larger.
        const double tolerance = c.positions * c.channels == c.groups ? 2e-3 : 1e-5;
        const auto terms = static_cast<double>(c.samples * c.positions + 1);
        CHECK(largest_difference(results.mean, expected.mean) < 2e-6);  // means below 8, rounded and summed in float
        CHECK(largest_difference(results.inverse, expected.inverse) < (tolerance > 1e-3 ? 1 : 1e-6));
        CHECK(largest_difference(results.y, expected.y) < tolerance);
        CHECK(largest_difference(results.dx, expected.dx) < tolerance);
        CHECK(largest_difference(results.dscale, expected.dscale) < tolerance * terms);
        CHECK(largest_difference(results.dshift, expected.dshift) < tolerance * terms);
      });
    }
  });
}

TEST_CASE("a norm's result of bfloat16 is that of float32, rounded") {
  on_gpu([](Backend& backend) {
    for (const Case& c : kCases) {
      capture_and(c, [&] {
        const NormOnGpu norm(backend, c);
        const std::vector<float> y = norm.forward<float>();
        const std::vector<BFloat16> rounded = norm.forward<BFloat16>();
        for (std::size_t i = 0; i < y.size(); ++i) REQUIRE(rounded[i].bits == narrowed<BFloat16>(y[i]).bits);
      });
    }
  });
}

TEST_CASE("a norm's gradient may replace what it is made from, or be left out") {
  on_gpu([](Backend& backend) {
    for (const Case& c : {Case{5, 1, 70, 1}, Case{2, 70, 6, 3}, Case{0, 1, 4, 1}}) {
      capture_and(c, [&] {
        const NormOnGpu norm(backend, c);
        const Results<float> apart = norm.run();
        const Results<float> without = norm.backward({}, {});
        CHECK(without.dscale == apart.dscale);
        CHECK(without.dshift == apart.dshift);
        const Results<float> in_place = norm.backward({}, norm.dy.tensor);
        CHECK(in_place.dx == apart.dx);
        CHECK(in_place.dscale == apart.dscale);
      });
    }
  });
}

TEST_CASE("norms of numbers whose deviations are small beside their mean keep their digits") {
  on_gpu([](Backend& backend) {
    for (const Case& c : {Case{2, 1, 300, 1}, Case{2, 100, 6, 2}}) {
      capture_and(c, [&] {
        Inputs<float> in(c);
        Host<double> exact(in.x.shape);
        for (std::size_t i = 0; i < in.x.data.size(); ++i) {
          in.x.data[i] = 4096 + static_cast<float>(static_cast<int>(i * 37 % 101) - 50) / 256;  // represented exactly
          exact.data[i] = static_cast<double>(in.x.data[i]);
        }
        Host<double> mean({c.samples, c.groups}), inverse({c.samples, c.groups}), y(in.x.shape);
        Host<double> scale = doubled(in.scale);
        Host<double> shift = doubled(in.shift);
        make_cpu_backend()->normalize(kEpsilon, exact.tensor(), scale.tensor(), shift.tensor(), y.tensor(),
                                      mean.tensor(), inverse.tensor());
        const NormOnGpu norm(backend, c, in);
        // The mean, about 4096, is stored as a float, exact to 2^-12, and the deviations from it are scaled by about
        // 10.
        CHECK(largest_difference(norm.forward<float>(), y.data) < 10 * 0x1p-12);
        CHECK(largest_difference(norm.inverse.read(), inverse.data) < 1e-4);  // scaled by the variance
      });
    }
  });
}

TEST_CASE("a norm lets NaN through, so that it is found, and to its own group alone") {
  on_gpu([](Backend& backend) {
    for (const Case& c : {Case{3, 1, 19, 1}, Case{3, 4, 6, 2}}) {
      Inputs<float> in(c);
      const std::int64_t elements = c.positions * c.channels;  // per sample
      in.x.data[static_cast<std::size_t>(elements)] = std::numeric_limits<float>::quiet_NaN();
      const NormOnGpu norm(backend, c, in);
      const std::vector<float> y = norm.forward<float>();
      const std::vector<BFloat16> rounded = norm.forward<BFloat16>();
      for (std::size_t i = 0; i < y.size(); ++i) {
        const auto at = static_cast<std::int64_t>(i);
        const bool hit = at / elements == 1 && at % c.channels < c.channels / c.groups;
        CHECK(std::isnan(y[i]) == hit);
        CHECK(std::isnan(widened(rounded[i])) == hit);
      }
    }
  });
}

TEST_CASE("norms of unlike tensors are refused") {
  const auto backend = gpu();
  const NormOnGpu norm(*backend, {2, 5, 6, 3});
  const OnGpu<float> y(*backend, Shape{2, 5, 6});
  const OnGpu<float> four(*backend, Shape{2, 4});
  CHECK_THROWS_WITH_AS(backend->normalize(kEpsilon, norm.x.tensor, norm.scale.tensor, norm.shift.tensor, y.tensor,
                                          four.tensor, four.tensor),
                       doctest::Contains("6 channels in 4 groups"), Error);
  CHECK_THROWS_AS(backend->normalize_backward(norm.x.tensor, norm.scale.tensor, norm.mean.tensor, norm.inverse.tensor,
                                              norm.dy.tensor, {}, four.tensor, four.tensor),
                  Error);
}

}  // namespace
}  // namespace lockstep

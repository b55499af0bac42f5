#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

#include "tensor/cpu/cpu_backend.h"
#include "tensor/cuda/gpu_under_test.h"
#include "tensor/half_types.h"

namespace lockstep {
namespace {

struct LossCase {
  LossCase(std::int64_t rows, std::int64_t width)
      : logits({rows, width}, 1), weights({rows}, 2), targets({rows, width}, 3), labels({rows}) {
    for (float& logit : logits.data) logit *= 20;
    for (float& weight : weights.data) weight = std::abs(weight);
    for (float& target : targets.data) target = std::abs(target);
    // Every third label is that of the largest logit.
    for (std::int64_t i = 0; i < rows; ++i) {
      const auto row = logits.data.begin() + i * width;
      const std::int64_t label = i % 3 == 0 ? std::max_element(row, row + width) - row : (3 * i + 1) % width;
      labels.data[static_cast<std::size_t>(i)] = static_cast<std::int32_t>(label);
    }
  }

  Host<float> logits;
  Host<float> weights;
  Host<float> targets;
  Host<std::int32_t> labels;
};

struct LossResult {
  std::vector<double> sums;
  std::vector<double> gradient;
};

// Operands of a loss, on the backend that computes it.
struct LossTensors {
  Tensor logits, labels, targets, weights, gradient, sums;
};
using Loss = std::function<void(Backend&, const LossTensors&)>;

Loss softmax_loss(double smoothing) {
  return [smoothing](Backend& backend, const LossTensors& t) {
    backend.softmax_cross_entropy(smoothing, t.logits, t.labels, t.weights, t.gradient, t.sums);
  };
}
Loss sigmoid_loss(double smoothing) {
  return [smoothing](Backend& backend, const LossTensors& t) {
    backend.sigmoid_cross_entropy(smoothing, t.logits, t.labels, t.weights, t.gradient, t.sums);
  };
}
void sigmoid_loss_of_numbers(Backend& backend, const LossTensors& t) {
  backend.sigmoid_cross_entropy(0, t.logits, t.targets, t.weights, t.gradient, t.sums);
}
void squared_loss(Backend& backend, const LossTensors& t) {
  backend.mean_squared_error(t.logits, t.targets, t.weights, t.gradient, t.sums);
}

// Computes the result on the CPU in float64.
LossResult reference_of(const Loss& loss, LossCase c) {
  Host<double> logits = doubled(c.logits);
  Host<double> gradient(logits.shape);
  Host<double> sums({kLossSums});
  loss(*make_cpu_backend(), {.logits = logits.tensor(),
                             .labels = c.labels.tensor(),
                             .targets = c.targets.tensor(),
                             .weights = c.weights.tensor(),
                             .gradient = gradient.tensor(),
                             .sums = sums.tensor()});
  return {.sums = sums.data, .gradient = gradient.data};
}

struct LossOnGpu {
  LossOnGpu(Backend& gpu, const LossCase& c)
      : backend(gpu),
        logits(gpu, c.logits),
        weights(gpu, c.weights),
        targets(gpu, c.targets),
        labels(gpu, c.labels),
        sums(gpu, Shape{kLossSums}) {}

  std::vector<double> run(const Loss& loss, const Tensor& gradient) const {
    backend.fill(sums.tensor, -77);
    loss(backend, {.logits = logits.tensor,
                   .labels = labels.tensor,
                   .targets = targets.tensor,
                   .weights = weights.tensor,
                   .gradient = gradient,
                   .sums = sums.tensor});
    return sums.read();
  }

  Backend& backend;
  OnGpu<float> logits;
  OnGpu<float> weights;
  OnGpu<float> targets;
  OnGpu<std::int32_t> labels;
  OnGpu<double> sums;
};

// Widths: within a warp, several warps, and the most threads there are, each reading several logits at once several
// times.
const std::vector<std::pair<std::int64_t, std::int64_t>> kSizes{{1, 2},    {7, 10},   {33, 3},   {5, 1},     {0, 4},
                                                                {3, 1001}, {3, 8192}, {70, 100}, {2, 50'257}};

void check_loss(const Loss& loss, double tolerance) {
  for (const auto& [rows, width] : kSizes) {
    CAPTURE(rows);
    CAPTURE(width);
    const LossCase c(rows, width);
    const LossResult expected = reference_of(loss, c);
    on_gpu([&](Backend& backend) {
      const LossOnGpu there(backend, c);
      const OnGpu<float> gradient(backend, c.logits.shape);
      const std::vector<double> sums = there.run(loss, gradient.tensor);
      CHECK(sums[0] == doctest::Approx(expected.sums[0]).epsilon(1e-6));
      CHECK(sums[1] == doctest::Approx(expected.sums[1]).epsilon(1e-14));  // the same numbers in another order
      CHECK(sums[2] == doctest::Approx(expected.sums[2]).epsilon(1e-14));
      CHECK(largest_difference(gradient.read(), expected.gradient) < tolerance);
      CHECK(there.run(loss, {}) == sums);  // evaluation
    });
  }
}

// float32's exponentials are within 2 units in the last place, and probabilities are at most 1.
TEST_CASE("soft-max cross-entropy agrees with float64, with and without label smoothing") {
  for (const double smoothing : {0.0, 0.1, 0.75}) check_loss(softmax_loss(smoothing), 1e-6);
}

TEST_CASE("sigmoid cross-entropy agrees with float64, of labels with and without smoothing and of numbers") {
  for (const double smoothing : {0.0, 0.1}) check_loss(sigmoid_loss(smoothing), 1e-6);
  check_loss(sigmoid_loss_of_numbers, 1e-6);
}

TEST_CASE("the mean squared error agrees with float64") {
  check_loss(squared_loss, 2 * 21 * 0x1p-23);  // two rounded factors, of differences below 21
}

TEST_CASE("the gradient of soft-max cross-entropy may replace the logits, or begin where they do, rounded") {
  on_gpu([](Backend& backend) {
    // As many rows as need several launches, and rows for which the first one's results lie before logits that other
    // threads still have to read.
    for (const auto& [rows, width] : {std::pair{0, 4}, {1, 1}, {2, 7}, {3, 33}, {70, 3}, {5, 1001}, {3, 8193}}) {
      for (const double smoothing : {0.0, 0.1}) {
        CAPTURE(rows);
        CAPTURE(width);
        const LossCase c(rows, width);
        const Loss loss = softmax_loss(smoothing);
        const LossOnGpu apart(backend, c);
        const OnGpu<float> gradient(backend, c.logits.shape);
        const std::vector<double> sums = apart.run(loss, gradient.tensor);
        const std::vector<float> expected = gradient.read();

        const OnGpu<BFloat16> rounded(backend, c.logits.shape);
        CHECK(apart.run(loss, rounded.tensor) == sums);

        const LossOnGpu in_place(backend, c);
        CHECK(in_place.run(loss, in_place.logits.tensor) == sums);
        CHECK(in_place.logits.read() == expected);

        const LossOnGpu in_front(backend, c);
        const Tensor front(in_front.logits.tensor.data(), DType::bfloat16, c.logits.shape, backend.device());
        CHECK(in_front.run(loss, front) == sums);
        Host<BFloat16> there(c.logits.shape);
        backend.copy(front, there.tensor());
        backend.synchronize();
        const std::vector<BFloat16> apart_there = rounded.read();
        for (std::size_t i = 0; i < expected.size(); ++i) {
          REQUIRE(apart_there[i].bits == narrowed<BFloat16>(expected[i]).bits);
          REQUIRE(there.data[i].bits == narrowed<BFloat16>(expected[i]).bits);
        }
      }
    }
  });
}

LossCase one_row(std::vector<float> logits, std::int32_t label) {
  const auto width = static_cast<std::int64_t>(logits.size());
  LossCase c(1, width);
  c.logits.data = std::move(logits);
  c.weights.data = {1};
  c.labels.data = {label};
  return c;
}

TEST_CASE("of equal largest logits the first is the predicted one") {
  on_gpu([](Backend& backend) {
    for (const std::int64_t width : {3, 40, 3'000}) {
      for (const std::int64_t label : {std::int64_t{0}, std::int64_t{1}, width - 1}) {
        std::vector<float> logits(static_cast<std::size_t>(width), -1);
        logits[1] = logits.back() = 2;
        const LossOnGpu there(backend, one_row(logits, static_cast<std::int32_t>(label)));
        CHECK(there.run(softmax_loss(0), {})[2] == (label == 1 ? 1 : 0));
        CHECK(there.run(sigmoid_loss(0), {})[2] == (label == 1 ? 1 : 0));
      }
    }
  });
}

TEST_CASE("a sample with a NaN among its outputs is never correct, wherever it stands") {
  on_gpu([](Backend& backend) {
    for (std::size_t at = 0; at < 3; ++at) {
      for (std::int32_t label = 0; label < 3; ++label) {
        CAPTURE(at);
        CAPTURE(label);
        std::vector<float> logits{0, 0, 0};
        logits[static_cast<std::size_t>(label)] = 9;
        logits[at] = std::numeric_limits<float>::quiet_NaN();
        const LossOnGpu there(backend, one_row(logits, label));
        for (const Loss& loss : {softmax_loss(0), softmax_loss(0.1), sigmoid_loss(0)}) {
          const std::vector<double> sums = there.run(loss, {});
          CHECK(std::isnan(sums[0]));
          CHECK(sums[2] == 0);
        }
      }
    }
  });
}

TEST_CASE("logits of minus infinity are classes of probability 0, and a row of nothing else is not a number") {
  on_gpu([](Backend& backend) {
    constexpr float kNever = -std::numeric_limits<float>::infinity();
    const LossOnGpu one(backend, one_row({kNever, 3, kNever, kNever, 3}, 1));
    const OnGpu<float> gradient(backend, Shape{1, 5});
    const std::vector<double> sums = one.run(softmax_loss(0), gradient.tensor);
    CHECK(sums[0] == doctest::Approx(std::log(2.0)).epsilon(1e-7));
    CHECK(sums[2] == 1);
    CHECK(gradient.read() == std::vector<float>{0, -0.5F, 0, 0, 0.5F});
    const LossOnGpu none(backend, one_row({kNever, kNever}, 0));
    const std::vector<double> of_none = none.run(softmax_loss(0), {});
    CHECK(std::isnan(of_none[0]));
    CHECK(of_none[2] == 0);
  });
}

TEST_CASE("losses of far logits stay finite") {
  on_gpu([](Backend& backend) {
    const LossOnGpu there(backend, one_row({1000, -1000, 0}, 0));
    const OnGpu<float> gradient(backend, Shape{1, 3});
    const std::vector<double> by_sigmoid = there.run(sigmoid_loss(0), gradient.tensor);
    CHECK(by_sigmoid[0] == doctest::Approx(std::log(2.0)).epsilon(1e-7));
    CHECK(by_sigmoid[2] == 1);
    CHECK(gradient.read() == std::vector<float>{0, 0, 0.5F});
    const std::vector<double> by_softmax = there.run(softmax_loss(0), gradient.tensor);
    CHECK(by_softmax == std::vector<double>{0, 1, 1});
    CHECK(gradient.read() == std::vector<float>{0, 0, 0});
  });
}

TEST_CASE("numbers that are no probabilities make the sigmoid cross-entropy NaN, and numbers are never correct") {
  on_gpu([](Backend& backend) {
    LossCase c(6, 5);
    CHECK(LossOnGpu(backend, c).run(sigmoid_loss_of_numbers, {})[2] == 0);
    for (float bad : {-0.5F, 1.5F, std::numeric_limits<float>::quiet_NaN()}) {
      c.targets.data[7] = bad;
      CHECK(std::isnan(LossOnGpu(backend, c).run(sigmoid_loss_of_numbers, {})[0]));
    }
  });
}

TEST_CASE("losses of tensors that do not fit are refused") {
  const auto backend = gpu();
  const LossOnGpu there(*backend, LossCase(4, 3));
  const OnGpu<float> three(*backend, Shape{3});
  CHECK_THROWS_AS(
      backend->softmax_cross_entropy(0, there.logits.tensor, there.labels.tensor, three.tensor, {}, there.sums.tensor),
      Error);
  CHECK_THROWS_AS(backend->softmax_cross_entropy(0, there.logits.tensor, there.labels.tensor, there.weights.tensor,
                                                 three.tensor, there.sums.tensor),
                  Error);
  CHECK_THROWS_AS(backend->sigmoid_cross_entropy(0.1, there.logits.tensor, there.targets.tensor, there.weights.tensor,
                                                 {}, there.sums.tensor),
                  Error);
  CHECK_THROWS_AS(
      backend->mean_squared_error(there.logits.tensor, three.tensor, there.weights.tensor, {}, there.sums.tensor),
      Error);
}

}  // namespace
}  // namespace lockstep

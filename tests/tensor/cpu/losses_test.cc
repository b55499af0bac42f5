#include <doctest/doctest.h>

#include <cstring>
#include <limits>

#include "generations.h"
#include "host_tensor.h"
#include "tensor/cpu/cpu_backend.h"
#include "tensor/cpu/loss_kernels.h"
#include "tensor/half_types.h"

namespace lockstep {
namespace {

struct LossCase {
  LossCase(std::int64_t rows, std::int64_t width) : logits({rows, width}, 1), weights({rows}, 2) {
    for (float& logit : logits.data) logit *= 20;
    for (float& weight : weights.data) weight = std::abs(weight);
    for (std::int64_t i = 0; i < rows; ++i) labels.push_back(static_cast<std::int32_t>((3 * i + 1) % width));
  }
  Tensor label_tensor() { return {labels.data(), DType::int32, {static_cast<std::int64_t>(labels.size())}}; }
  double logit(std::size_t i) const { return static_cast<double>(logits.data[i]); }
  double weight(std::size_t row) const { return static_cast<double>(weights.data[row]); }

  Host<float> logits;
  Host<float> weights;
  std::vector<std::int32_t> labels;
};

struct Expected {
  double loss = 0;
  std::vector<double> gradient{};
};

// Computes by definition: targets (row, class) against the logarithms of probabilities.
template <class Target>
Expected soft_max(const LossCase& c, Target target) {
  Expected expected;
  const auto width = static_cast<std::size_t>(c.logits.shape[1]);
  for (std::size_t row = 0; row < c.labels.size(); ++row) {
    double total = 0;
    for (std::size_t k = 0; k < width; ++k) total += std::exp(c.logit(row * width + k));
    for (std::size_t k = 0; k < width; ++k) {
      const double probability = std::exp(c.logit(row * width + k)) / total;
      expected.loss -= c.weight(row) * target(row, k) * std::log(probability);
      expected.gradient.push_back(c.weight(row) * (probability - target(row, k)));
    }
  }
  return expected;
}

template <class Target>
Expected sigmoid(const LossCase& c, Target target) {
  Expected expected;
  const auto width = static_cast<std::size_t>(c.logits.shape[1]);
  for (std::size_t i = 0; i < c.logits.data.size(); ++i) {
    const double t = target(i / width, i % width);
    const double probability = 1 / (1 + std::exp(-c.logit(i)));
    const double other = 1 / (1 + std::exp(c.logit(i)));  // 1 - probability, without the cancellation
    expected.loss -= c.weight(i / width) * (t * std::log(probability) + (1 - t) * std::log(other));
    expected.gradient.push_back(c.weight(i / width) * (probability - t));
  }
  return expected;
}

TEST_CASE("cross-entropies with and without label smoothing agree with their definitions") {
  const auto backend = make_cpu_backend();
  for (const auto& [rows, width] : {std::pair{1, 2}, {7, 10}, {33, 3}, {5, 1}, {0, 4}}) {
    for (const double smoothing : {0.0, 0.1, 0.75}) {
      CAPTURE(rows);
      CAPTURE(width);
      CAPTURE(smoothing);
      LossCase c(rows, width);
      const auto target = [&](std::size_t row, std::size_t k) {
        const bool label = c.labels[row] == static_cast<std::int32_t>(k);
        return smoothing / width + (label ? 1 - smoothing : 0);
      };
      Host<float> gradient({rows, width}, 5);
      Host<double> sums({kLossSums});
      backend->softmax_cross_entropy(smoothing, c.logits.tensor(), c.label_tensor(), c.weights.tensor(),
                                     gradient.tensor(), sums.tensor());
      const Expected by_softmax = soft_max(c, target);
      CHECK(sums.data[0] == doctest::Approx(by_softmax.loss).epsilon(1e-6));
      CHECK(largest_difference(gradient.data, by_softmax.gradient) < 1e-6);
      Host<float> in_place = c.logits;
      backend->softmax_cross_entropy(smoothing, in_place.tensor(), c.label_tensor(), c.weights.tensor(),
                                     in_place.tensor(), sums.tensor());
      CHECK(in_place.data == gradient.data);
      CHECK(sums.data[0] == doctest::Approx(by_softmax.loss).epsilon(1e-6));

      backend->sigmoid_cross_entropy(smoothing, c.logits.tensor(), c.label_tensor(), c.weights.tensor(),
                                     gradient.tensor(), sums.tensor());
      const Expected by_sigmoid = sigmoid(c, target);
      CHECK(sums.data[0] == doctest::Approx(by_sigmoid.loss).epsilon(1e-6));
      CHECK(largest_difference(gradient.data, by_sigmoid.gradient) < 1e-6);
    }
  }
}

TEST_CASE("sigmoid cross-entropy with numbers as targets: nothing is correct, and what is no probability is refused") {
  const auto backend = make_cpu_backend();
  LossCase c(6, 5);
  Host<float> targets({6, 5}, 9);
  for (float& target : targets.data) target = std::abs(target);
  Host<float> gradient({6, 5});
  Host<double> sums({kLossSums});
  const auto run = [&](const Tensor& wanted) {
    backend->sigmoid_cross_entropy(0, c.logits.tensor(), targets.tensor(), c.weights.tensor(), wanted, sums.tensor());
  };
  run(gradient.tensor());
  const Expected expected =
      sigmoid(c, [&](std::size_t row, std::size_t k) { return static_cast<double>(targets.data[row * 5 + k]); });
  CHECK(sums.data[0] == doctest::Approx(expected.loss).epsilon(1e-6));
  CHECK(sums.data[2] == 0);
  CHECK(largest_difference(gradient.data, expected.gradient) < 1e-6);
  const double loss = sums.data[0];
  run({});
  CHECK(sums.data[0] == loss);
  for (float bad : {-0.5F, 1.5F, std::numeric_limits<float>::quiet_NaN()}) {
    targets.data[7] = bad;
    CHECK_THROWS_WITH_AS(run({}), doctest::Contains("targets between 0 and 1"), Error);
  }
}

TEST_CASE("sigmoid cross-entropy of far logits stays finite") {
  const auto backend = make_cpu_backend();
  auto logits = Host<float>::of({1, 3}, {1000, -1000, 0});
  auto weights = Host<float>::of({1}, {1});
  std::int32_t label = 0;
  Host<float> gradient({1, 3});
  Host<double> sums({kLossSums});
  backend->sigmoid_cross_entropy(0, logits.tensor(), Tensor(&label, DType::int32, {1}), weights.tensor(),
                                 gradient.tensor(), sums.tensor());
  CHECK(sums.data[0] == doctest::Approx(std::log(2.0)));
  CHECK(sums.data[2] == 1);
  CHECK(gradient.data == std::vector<float>{0, 0, 0.5F});
}

TEST_CASE("soft-max cross-entropy of many classes, for each generation of processors, in the logits' memory too") {
  for (const std::int64_t width : {1, 15, 16, 17, 1001, 8192}) {
    constexpr std::int64_t kRows = 3;
    for (const double smoothing : {0.0, 0.1}) {
      const LossCase c(kRows, width);
      const Expected expected = soft_max(c, [&](std::size_t row, std::size_t k) {
        const bool label = c.labels[row] == static_cast<std::int32_t>(k);
        return smoothing / static_cast<double>(width) + (label ? 1 - smoothing : 0);
      });
      for (const cpu::Generation generation : cpu::generations()) {
        CAPTURE(width);
        CAPTURE(generation);
        std::vector<float> gradient = c.logits.data;
        double sums[kLossSums] = {};
        cpu::softmax_cross_entropy(smoothing, gradient.data(), c.labels.data(), c.weights.data.data(), gradient.data(),
                                   sums, kRows, width, generation);
        CHECK(sums[0] == doctest::Approx(expected.loss).epsilon(1e-6));
        CHECK(largest_difference(gradient, expected.gradient) < 1e-6);
        // The gradient in bfloat16, at the beginning of the logits' memory.
        std::vector<float> memory = c.logits.data;
        auto* const rounded = reinterpret_cast<BFloat16*>(memory.data());
        std::vector<float> row(static_cast<std::size_t>(width));
        double same_sums[kLossSums] = {};
        cpu::softmax_cross_entropy(smoothing, memory.data(), c.labels.data(), c.weights.data.data(), rounded,
                                   row.data(), same_sums, kRows, width, generation);
        CHECK(std::equal(sums, sums + kLossSums, same_sums));
        for (std::size_t i = 0; i < gradient.size(); ++i) {
          BFloat16 value{};
          std::memcpy(&value, rounded + i, sizeof(value));
          REQUIRE(value.bits == narrowed<BFloat16>(gradient[i]).bits);
        }
        // A row's part does not depend on the neighbouring rows.
        std::vector<float> last(c.logits.data.end() - width, c.logits.data.end());
        cpu::softmax_cross_entropy(smoothing, last.data(), c.labels.data() + 2, c.weights.data.data() + 2, last.data(),
                                   sums, 1, width, generation);
        CHECK(std::equal(last.begin(), last.end(), gradient.end() - width));
      }
    }
  }
}

TEST_CASE("of equal largest logits the first is the predicted one") {
  for (const std::int64_t width : {3, 40}) {
    for (const std::int64_t label : {std::int64_t{0}, std::int64_t{1}, width - 1}) {
      std::vector<float> logits(static_cast<std::size_t>(width), -1);
      logits[1] = logits.back() = 2;
      const auto number = static_cast<std::int32_t>(label);
      const float weight = 1;
      double sums[kLossSums] = {};
      cpu::softmax_cross_entropy(0, logits.data(), &number, &weight, static_cast<float*>(nullptr), sums, 1, width);
      CHECK(sums[2] == (label == 1 ? 1 : 0));
    }
  }
}

TEST_CASE("a sample with a NaN among its outputs is never correct, wherever it stands") {
  const auto backend = make_cpu_backend();
  for (std::size_t at = 0; at < 3; ++at) {
    for (std::int32_t label = 0; label < 3; ++label) {
      CAPTURE(at);
      CAPTURE(label);
      auto logits = Host<float>::of({1, 3}, {0, 0, 0});
      logits.data[static_cast<std::size_t>(label)] = 9;
      logits.data[at] = std::numeric_limits<float>::quiet_NaN();
      auto weights = Host<float>::of({1}, {1});
      const Tensor labels(&label, DType::int32, {1});
      Host<double> sums({kLossSums});
      backend->softmax_cross_entropy(0, logits.tensor(), labels, weights.tensor(), {}, sums.tensor());
      CHECK(sums.data[2] == 0);
      CHECK(std::isnan(sums.data[0]));
      backend->sigmoid_cross_entropy(0, logits.tensor(), labels, weights.tensor(), {}, sums.tensor());
      CHECK(sums.data[2] == 0);
      CHECK(std::isnan(sums.data[0]));
      for (std::int64_t k : {1, 3, 5}) {
        backend->count_in_top(k, logits.tensor(), labels, weights.tensor(), sums.tensor().flat({0, 1}));
        CHECK(sums.data[0] == 0);
      }
    }
  }
}

TEST_CASE("losses of tensors that do not fit are refused") {
  const auto backend = make_cpu_backend();
  LossCase c(4, 3);
  Host<float> weights({3});
  Host<double> sums({kLossSums});
  CHECK_THROWS_AS(
      backend->softmax_cross_entropy(0, c.logits.tensor(), c.label_tensor(), weights.tensor(), {}, sums.tensor()),
      Error);
  CHECK_THROWS_AS(
      backend->mean_squared_error(c.logits.tensor(), weights.tensor(), c.weights.tensor(), {}, sums.tensor()), Error);
}

}  // namespace
}  // namespace lockstep

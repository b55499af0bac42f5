#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

#include "base/error.h"
#include "update_run.h"

// Steps with large coefficients, so that every term counts.
namespace lockstep {
namespace {

constexpr std::int64_t kSizes[] = {0, 1, 3, 257, 1037, 20'003};
constexpr double kUlps = 4;  // a handful of roundings

void check_sizes(const UpdateFormula& formula) {
  on_gpu([&](Backend& backend) {
    for (const std::int64_t count : kSizes) check_update(backend, count, kUlps, {.factor = 0.7, .formula = formula});
  });
}

TEST_CASE("SGD moves values as on the CPU") {
  for (const double l2 : {0.0, 0.125}) check_sizes(SgdStep{.rate = 0.9, .l2 = l2});
}

TEST_CASE("both forms of momentum move values as on the CPU") {
  for (const auto form : {MomentumStep::Form::heavy_ball, MomentumStep::Form::nesterov}) {
    check_sizes(MomentumStep{.rate = 0.9, .momentum = 0.8, .l2 = 0.125, .form = form});
  }
}

TEST_CASE("Adam moves values as on the CPU, at the first step and later ones") {
  for (const std::int64_t t : {1, 2, 1000}) {
    check_sizes(
        AdamStep{.rate = 0.5, .beta1 = 0.9, .beta2 = 0.98, .epsilon = 1e-3, .t = t, .l2 = 0.125, .decoupled = 0.25});
  }
}

TEST_CASE("RMSprop and Adagrad move values as on the CPU") {
  check_sizes(RmspropStep{.rate = 0.5, .decay = 0.9, .epsilon = 1e-3, .l2 = 0.125});
  check_sizes(AdagradStep{.rate = 0.5, .epsilon = 1e-3, .l2 = 0.125});
}

TEST_CASE("a span of a larger one is updated as if it were alone, and nothing beside it") {
  on_gpu([](Backend& backend) {
    const UpdateStep step{.formula = AdamStep{.rate = 0.5, .beta1 = 0.9, .beta2 = 0.98, .epsilon = 1e-3}};
    const auto spans = update_spans(1100, 2);
    const auto part = [&](Backend& of, Tensors whole) {
      const FlatRange range{3, 1040};
      std::vector<Tensor> parts;
      for (const Tensor& tensor : whole) parts.push_back(tensor.flat(range));
      update_of(of, parts, step);
    };
    const auto results = updated_on(backend, spans, part);
    CHECK(largest_ulps(spans, results, updated_on_cpu(spans, part)) < kUlps);
    for (const std::size_t i : {0, 1, 2, 1040, 1099}) CHECK(results[0][i] == spans[0].data[i]);
  });
}

// Decay moves the values to exactly where the rounded gradient points, so the rest of a product that was not rounded
// would show, times a large rate.
TEST_CASE("a gradient is the factor times what came, rounded before it is used") {
  on_gpu([](Backend& backend) {
    auto spans = update_spans(257, 1);
    for (std::size_t i = 0; i < 257; ++i) {
      spans[0].data[i] = -(0.3F * spans[1].data[i]);
      spans[2].data[i] = 0;
    }
    const auto sgd = updated_on(backend, spans, [](Backend& of, Tensors tensors) {
      of.update({.factor = 0.3, .formula = SgdStep{.rate = 0x1p24, .l2 = 1}}, tensors[0], tensors[1], {});
    });
    CHECK(sgd[0] == spans[0].data);
    const auto lars = updated_on(backend, spans, [](Backend& of, Tensors tensors) {
      const LarsStep lars_step{.rate = 0x1p24, .weight_decay = 1, .adapted = false};
      update_of(of, tensors, {.factor = 0.3, .formula = lars_step});
    });
    CHECK(lars[0] == spans[0].data);
  });
}

TEST_CASE("spans of unlike lengths, and too few or too many slots, are refused") {
  const auto backend = gpu();
  const OnGpu<float> eight(*backend, Shape{8});
  const OnGpu<float> seven(*backend, Shape{7});
  const Tensor& a = eight.tensor;
  const Tensor& b = seven.tensor;
  CHECK_THROWS_AS(backend->update({.formula = SgdStep{}}, a, b, {}), Error);
  CHECK_THROWS_AS(backend->update({.formula = MomentumStep{}}, a, a, std::vector{b}), Error);
  CHECK_THROWS_AS(backend->update({.formula = AdamStep{}}, a, a, std::vector{b, a}), Error);
  CHECK_THROWS_AS(backend->update({.formula = RmspropStep{}}, a, a, std::vector{b}), Error);
  CHECK_THROWS_AS(backend->update({.formula = AdagradStep{}}, a, a, std::vector{b}), Error);
  CHECK_THROWS_AS(backend->update({.formula = LarsStep{}}, a, a, std::vector{b}), Error);
  CHECK_THROWS_AS(backend->update({.formula = LambStep{}}, a, a, std::vector{a, b}), Error);
  CHECK_THROWS_AS(backend->update({.formula = AdafactorStep{}}, a, a, std::vector{b}), Error);
  CHECK_THROWS_AS(backend->update({.formula = AdamStep{}}, a, a, std::vector{a}), Error);
  CHECK_THROWS_AS(backend->update({.formula = SgdStep{}}, a, a, std::vector{a}), Error);
}

}  // namespace
}  // namespace lockstep

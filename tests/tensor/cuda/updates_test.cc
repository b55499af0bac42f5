#include <doctest/doctest.h>

#include <cstdint>
#include <span>

#include "base/error.h"
#include "update_run.h"

// Steps with large coefficients, so that every term counts.
namespace lockstep {
namespace {

constexpr std::int64_t kSizes[] = {0, 1, 3, 257, 1037, 20'003};
constexpr double kUlps = 4;  // a handful of roundings
using Tensors = std::span<const Tensor>;

void check_sizes(int slots, auto update) {
  on_gpu([&](Backend& backend) {
    for (const std::int64_t count : kSizes) check_update(backend, count, slots, kUlps, update);
  });
}

TEST_CASE("SGD moves values as on the CPU") {
  for (const double l2 : {0.0, 0.125}) {
    const SgdStep step{.factor = 0.7, .rate = 0.9, .l2 = l2};
    check_sizes(0, [&](Backend& backend, Tensors of) { backend.sgd_update(of[0], of[1], step); });
  }
}

TEST_CASE("both forms of momentum move values as on the CPU") {
  for (const auto form : {MomentumStep::Form::heavy_ball, MomentumStep::Form::nesterov}) {
    const MomentumStep step{.factor = 0.7, .rate = 0.9, .momentum = 0.8, .l2 = 0.125, .form = form};
    check_sizes(1, [&](Backend& backend, Tensors of) { backend.momentum_update(of[0], of[1], of[2], step); });
  }
}

TEST_CASE("Adam moves values as on the CPU, at the first step and later ones") {
  for (const std::int64_t t : {1, 2, 1000}) {
    const AdamStep step{.factor = 0.7,
                        .rate = 0.5,
                        .beta1 = 0.9,
                        .beta2 = 0.98,
                        .epsilon = 1e-3,
                        .t = t,
                        .l2 = 0.125,
                        .decoupled = 0.25};
    check_sizes(2, [&](Backend& backend, Tensors of) { backend.adam_update(of[0], of[1], of[2], of[3], step); });
  }
}

TEST_CASE("RMSprop and Adagrad move values as on the CPU") {
  const RmspropStep rmsprop{.factor = 0.7, .rate = 0.5, .decay = 0.9, .epsilon = 1e-3, .l2 = 0.125};
  check_sizes(1, [&](Backend& backend, Tensors of) { backend.rmsprop_update(of[0], of[1], of[2], rmsprop); });
  const AdagradStep adagrad{.factor = 0.7, .rate = 0.5, .epsilon = 1e-3, .l2 = 0.125};
  check_sizes(1, [&](Backend& backend, Tensors of) { backend.adagrad_update(of[0], of[1], of[2], adagrad); });
}

TEST_CASE("a span of a larger one is updated as if it were alone, and nothing beside it") {
  on_gpu([](Backend& backend) {
    const AdamStep step{.rate = 0.5, .beta1 = 0.9, .beta2 = 0.98, .epsilon = 1e-3};
    const auto spans = update_spans(1100, 2);
    const auto part = [&](Backend& of, Tensors whole) {
      const FlatRange range{3, 1040};
      of.adam_update(whole[0].flat(range), whole[1].flat(range), whole[2].flat(range), whole[3].flat(range), step);
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
      of.sgd_update(tensors[0], tensors[1], {.factor = 0.3, .rate = 0x1p24, .l2 = 1});
    });
    CHECK(sgd[0] == spans[0].data);
    const auto lars = updated_on(backend, spans, [](Backend& of, Tensors tensors) {
      const LarsStep step{.factor = 0.3, .rate = 0x1p24, .weight_decay = 1, .adapted = false};
      of.lars_update(tensors[0], tensors[1], tensors[2], step);
    });
    CHECK(lars[0] == spans[0].data);
  });
}

TEST_CASE("spans of unlike lengths are refused") {
  const auto backend = gpu();
  const OnGpu<float> eight(*backend, Shape{8});
  const OnGpu<float> seven(*backend, Shape{7});
  const Tensor& a = eight.tensor;
  const Tensor& b = seven.tensor;
  CHECK_THROWS_AS(backend->sgd_update(a, b, {}), Error);
  CHECK_THROWS_AS(backend->momentum_update(a, a, b, {}), Error);
  CHECK_THROWS_AS(backend->adam_update(a, a, b, a, {}), Error);
  CHECK_THROWS_AS(backend->rmsprop_update(a, a, b, {}), Error);
  CHECK_THROWS_AS(backend->adagrad_update(a, a, b, {}), Error);
  CHECK_THROWS_AS(backend->lamb_update(a, a, a, b, {}), Error);
  CHECK_THROWS_AS(backend->lars_update(a, a, b, {}), Error);
  CHECK_THROWS_AS(backend->adafactor_update(a, a, b, {}), Error);
}

}  // namespace
}  // namespace lockstep

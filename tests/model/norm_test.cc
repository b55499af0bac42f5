#include <doctest/doctest.h>

#include <cmath>

#include "model/gradient_check.h"
#include "model/layers.h"
#include "tensor/cpu/cpu_backend.h"

namespace lockstep {
namespace {

constexpr double kTolerance = 1e-7;  // central differences with a step of 1e-5 in float64

TEST_CASE("gradients of norms, of their inputs, scales and shifts") {
  for (const auto asked : {InputGradient::needed, InputGradient::not_needed}) {
    for (const Shape& input : {Shape{7}, Shape{5, 3}, Shape{3, 5, 6}, Shape{2, 3, 1, 4}}) {
      CAPTURE(input.text());
      CHECK(layer_gradient_error([] { return make_layer_norm(); }, input, asked) < kTolerance);
      CHECK(layer_gradient_error([] { return make_layer_norm({.epsilon = 0.1, .has_shift = false}); }, input, asked) <
            kTolerance);
      CHECK(layer_gradient_error([] { return make_group_norm(1); }, input, asked) < kTolerance);
    }
    for (std::int64_t groups : {2, 3, 6}) {
      CHECK(layer_gradient_error([=] { return make_group_norm(groups); }, {3, 5, 6}, asked) < kTolerance);
    }
  }
}

// Returns a layer's float32 output for one sample, in training mode.
std::vector<float> output_of(const LayerPointer& layer, const Shape& input, std::vector<float> x) {
  const auto backend = make_cpu_backend();
  HostAllocator allocator;
  ParameterTable table;
  std::vector<Initializer> initializers;
  Declaration declaration(table, initializers);
  layer->declare(input, declaration);
  const ParameterStore store(table, allocator, allocator, DType::float32);
  initialize(*backend, store, initializers, 1);
  Pass pass{.backend = *backend, .parameters = store};
  const Tensor y = layer->forward(Tensor(x.data(), DType::float32, input.with_front(1)), pass);
  return {y.as<float>(), y.as<float>() + y.count()};
}

TEST_CASE("a layer norm centres each position, a group norm each group of channels over all positions") {
  // Two positions of two channels; standard deviations 1, 2 and 2, 3, so that epsilon has little effect.
  const std::vector<float> x{0, 2, 4, 8};
  const auto near = [](const std::vector<float>& y, const std::vector<float>& expected) {
    REQUIRE(y.size() == expected.size());
    for (std::size_t i = 0; i < y.size(); ++i) CHECK(y[i] == doctest::Approx(expected[i]).epsilon(1e-4));
  };
  near(output_of(make_layer_norm(), {2, 1, 2}, x), {-1, 1, -1, 1});
  near(output_of(make_group_norm(2), {2, 1, 2}, x), {-1, -1, 1, 1});
  const float stddev = std::sqrt(8.75F);  // of all four around 3.5
  near(output_of(make_group_norm(1), {2, 1, 2}, x), {-3.5F / stddev, -1.5F / stddev, 0.5F / stddev, 4.5F / stddev});
}

TEST_CASE("groups that do not fit the channels are refused by shape") {
  ParameterTable table;
  std::vector<Initializer> initializers;
  Declaration declaration(table, initializers);
  CHECK_THROWS_WITH_AS(make_group_norm(4)->declare({3, 3, 6}, declaration),
                       doctest::Contains("group_norm over 4 groups does not fit (3, 3, 6)"), Error);
  CHECK_THROWS_AS(make_group_norm(0)->declare({6}, declaration), Error);
  CHECK_THROWS_AS(make_layer_norm()->declare({}, declaration), Error);
}

TEST_CASE("weight decay spares scales and shifts") {
  ParameterTable table;
  std::vector<Initializer> initializers;
  Declaration declaration(table, initializers);
  make_layer_norm()->declare({3, 5}, declaration);
  make_group_norm(5)->declare({3, 5}, declaration);
  CHECK(table[0].name == "layer_norm_0/scale");
  CHECK(table[3].name == "group_norm_1/shift");
  for (const Variable& variable : table.variables()) {
    CHECK(variable.shape == Shape{5});
    CHECK(!variable.decay);
    CHECK(variable.trainable);
  }
}

}  // namespace
}  // namespace lockstep

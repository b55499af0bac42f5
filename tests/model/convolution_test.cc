#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "model/gradient_check.h"
#include "model/layer_model.h"
#include "model/layers.h"

namespace lockstep {
namespace {

constexpr double kTolerance = 1e-7;  // central differences with a step of 1e-5 in float64

const std::vector<ConvolutionOptions>& options_to_check() {
  static const std::vector<ConvolutionOptions> options{
      {.filters = 4},
      {.filters = 1, .kernel_height = 1, .kernel_width = 1, .init = LinearInit::glorot_uniform},
      {.filters = 3, .kernel_height = 3, .kernel_width = 2, .padding = Padding::valid},
      {.filters = 2, .kernel_height = 2, .kernel_width = 3, .stride = 2},
      {.filters = 2, .kernel_height = 3, .kernel_width = 3, .stride = 3, .padding = Padding::valid},
      {.filters = 5, .kernel_height = 5, .kernel_width = 5, .stride = 2},
  };
  return options;
}

TEST_CASE("a convolution's gradient of its input") {
  for (const ConvolutionOptions& options : options_to_check()) {
    for (const Shape& input : {Shape{3, 3, 1}, Shape{5, 4, 3}, Shape{7, 3, 2}}) {
      CAPTURE(input.text());
      CAPTURE(options.kernel_height);
      CHECK(layer_gradient_error([&] { return make_convolution(options); }, input) < kTolerance);
    }
  }
  CHECK(layer_gradient_error([] { return make_convolution({.filters = 2}); }, {1, 1, 1}) < kTolerance);
}

TEST_CASE("a convolution's gradients of its variables, in a network") {
  for (const ConvolutionOptions& options : options_to_check()) {
    const ProblemShape shape{.input = {5, 4, 3}, .target = ProblemShape::Target::class_label, .outputs = 3};
    std::vector<LayerPointer> layers;
    layers.push_back(make_convolution(options));
    layers.push_back(make_activation(Activation::tanh));
    layers.push_back(make_convolution({.filters = 3, .kernel_height = 1, .kernel_width = 1}));
    layers.push_back(make_pooling({.pooling = Pooling::average, .size = 2, .stride = 1, .padding = Padding::same}));
    layers.push_back(make_global_average_pooling());
    LayerModel model(make_sequential(std::move(layers)), shape);
    std::vector<double> inputs(static_cast<std::size_t>(2 * shape.input.elements()));
    for (std::size_t i = 0; i < inputs.size(); ++i) inputs[i] = static_cast<double>(i * 37 % 23) / 11 - 1;
    std::vector<std::int32_t> labels{2, 0};
    std::vector<float> weights{1, 0.5F};
    std::vector<std::int64_t> ids{4, 9};
    const Batch batch{.inputs = Tensor(inputs.data(), DType::float64, shape.input.with_front(2)),
                      .targets = Tensor(labels.data(), DType::int32, {2}),
                      .weights = Tensor(weights.data(), DType::float32, {2}),
                      .row_ids = Tensor(ids.data(), DType::int64, {2})};
    CHECK(gradient_error(model, batch) < kTolerance);
  }
}

struct Declared {
  ParameterTable table;
  std::vector<Initializer> initializers;
  Shape output;
};

Declared declare(const LayerPointer& layer, const Shape& input) {
  Declared declared;
  Declaration declaration(declared.table, declared.initializers);
  declared.output = layer->declare(input, declaration);
  return declared;
}

TEST_CASE("a convolution's output shape and variables") {
  CHECK(declare(make_convolution({.filters = 8}), {28, 27, 3}).output == Shape{28, 27, 8});
  CHECK(declare(make_convolution({.filters = 8, .stride = 2}), {28, 27, 3}).output == Shape{14, 14, 8});
  CHECK(declare(make_convolution({.filters = 8, .padding = Padding::valid}), {28, 27, 3}).output == Shape{26, 25, 8});
  CHECK(declare(make_convolution({.filters = 8, .stride = 3, .padding = Padding::valid}), {28, 27, 3}).output ==
        Shape{9, 9, 8});

  const Declared declared = declare(make_convolution({.filters = 8, .kernel_height = 5, .kernel_width = 2}), {9, 9, 3});
  REQUIRE(declared.table.variables().size() == 2);
  CHECK(declared.table[0].name == "conv_0/kernel");
  CHECK(declared.table[0].shape == Shape{5, 2, 3, 8});
  CHECK(declared.table[0].decay);
  CHECK(declared.table[1].name == "conv_0/bias");
  CHECK(declared.table[1].shape == Shape{8});
  CHECK_FALSE(declared.table[1].decay);
  CHECK(declared.initializers[0].limit == doctest::Approx(std::sqrt(6.0 / (5 * 2 * 3))));
}

TEST_CASE("convolutions that cannot be are refused, with the shape and the cure") {
  CHECK_THROWS_WITH_AS(declare(make_convolution({}), {784}), doctest::Contains("gets (784) for each sample"), Error);
  CHECK_THROWS_WITH_AS(
      declare(make_convolution({.kernel_height = 5, .kernel_width = 5, .padding = Padding::valid}), {4, 9, 1}),
      doctest::Contains("a window of 5 x 5, which does not fit into images (4, 9, 1)"), Error);
  CHECK_THROWS_WITH_AS(make_convolution({.filters = 0}), doctest::Contains("filters 0"), Error);
  CHECK_THROWS_WITH_AS(make_convolution({.stride = -1}), doctest::Contains("stride -1"), Error);
}

}  // namespace
}  // namespace lockstep

#include <doctest/doctest.h>

#include <ranges>
#include <vector>

#include "model/gradient_check.h"
#include "model/layers.h"

namespace lockstep {
namespace {

constexpr double kTolerance = 1e-7;  // central differences with a step of 1e-5 in float64

TEST_CASE("gradients of pooling, odd shapes included") {
  for (Pooling pooling : {Pooling::max, Pooling::average}) {
    for (Padding padding : {Padding::valid, Padding::same}) {
      for (std::int64_t size : {1, 2, 3}) {
        for (std::int64_t stride : {1, 2, 3}) {
          for (const Shape& input : {Shape{3, 3, 1}, Shape{5, 4, 3}, Shape{7, 3, 2}}) {
            CAPTURE(input.text());
            CAPTURE(size);
            CAPTURE(stride);
            const PoolingOptions options{.pooling = pooling, .size = size, .stride = stride, .padding = padding};
            CHECK(layer_gradient_error([&] { return make_pooling(options); }, input) < kTolerance);
          }
        }
      }
    }
  }
  for (const Shape& input : {Shape{1, 1, 1}, Shape{5, 4, 3}}) {
    CHECK(layer_gradient_error([] { return make_global_average_pooling(); }, input) < kTolerance);
  }
}

// Output and input gradient of a chain of layers, in float32.
struct Bits {
  std::vector<float> output{};
  std::vector<float> gradient{};
};

Bits run(const std::vector<Layer*>& layers, const Shape& input, std::vector<float> x) {
  const auto backend = make_backend({});
  HostAllocator allocator;
  ParameterTable table;
  std::vector<Initializer> initializers;
  Declaration declaration(table, initializers);
  Shape shape = input;
  for (Layer* layer : layers) shape = layer->declare(shape, declaration);
  const ParameterStore store(table, allocator, allocator, DType::float32);
  Pass pass{.backend = *backend, .parameters = store};
  Tensor y(x.data(), DType::float32, input.with_front(2));
  for (Layer* layer : layers) y = layer->forward(y, pass);
  Bits bits{.output = {y.span<float>().begin(), y.span<float>().end()}};
  std::vector<float> dy(bits.output.size());
  for (std::size_t i = 0; i < dy.size(); ++i) dy[i] = static_cast<float>(i % 13) - 5.25F;
  Tensor gradient(dy.data(), DType::float32, y.shape());
  for (Layer* layer : std::views::reverse(layers)) {
    gradient = layer->backward(gradient, InputGradient::needed, pass);
  }
  bits.gradient.assign(gradient.span<float>().begin(), gradient.span<float>().end());
  return bits;
}

TEST_CASE("a network that computes ReLU after maximum pooling gives the bits of its list of layers") {
  const Shape input{7, 6, 19};
  std::vector<float> x(static_cast<std::size_t>(2 * input.elements()));
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i * 2654435761U % 7) - 3.0F;  // many are equal
  for (const PoolingOptions& options : {PoolingOptions{}, PoolingOptions{.size = 3, .padding = Padding::same}}) {
    const LayerPointer relu = make_activation(Activation::relu);
    const LayerPointer pool = make_pooling(options);
    const LayerPointer again = make_pooling({.stride = 1});
    const Bits expected = run({relu.get(), pool.get(), again.get()}, input, x);
    std::vector<LayerPointer> layers;
    layers.push_back(make_activation(Activation::relu));
    layers.push_back(make_pooling(options));
    layers.push_back(make_pooling({.stride = 1}));
    const LayerPointer network = make_sequential(std::move(layers));
    const Bits found = run({network.get()}, input, x);
    CHECK(found.output == expected.output);
    CHECK(found.gradient == expected.gradient);
  }
}

Shape output_shape(const LayerPointer& layer, const Shape& input) {
  ParameterTable table;
  std::vector<Initializer> initializers;
  Declaration declaration(table, initializers);
  return layer->declare(input, declaration);
}

TEST_CASE("output shapes of pooling") {
  CHECK(output_shape(make_pooling({}), {26, 11, 32}) == Shape{13, 5, 32});
  CHECK(output_shape(make_pooling({.padding = Padding::same}), {26, 11, 32}) == Shape{13, 6, 32});
  CHECK(output_shape(make_pooling({.size = 3, .stride = 1}), {26, 11, 32}) == Shape{24, 9, 32});
  CHECK(output_shape(make_global_average_pooling(), {26, 11, 32}) == Shape{32});
}

TEST_CASE("pooling that cannot be is refused, with the shape and the cure") {
  CHECK_THROWS_WITH_AS(output_shape(make_pooling({}), {28, 28}), doctest::Contains("gets (28, 28) for each sample"),
                       Error);
  CHECK_THROWS_WITH_AS(output_shape(make_global_average_pooling(), {10}),
                       doctest::Contains("global average pooling (layer 0) needs images"), Error);
  CHECK_THROWS_WITH_AS(output_shape(make_pooling({.size = 3}), {2, 8, 1}),
                       doctest::Contains("a window of 3 x 3, which does not fit into images (2, 8, 1)"), Error);
  CHECK_THROWS_WITH_AS(make_pooling({.size = 0}), doctest::Contains("size 0"), Error);
}

}  // namespace
}  // namespace lockstep

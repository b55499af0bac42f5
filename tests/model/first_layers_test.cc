#include <doctest/doctest.h>

#include <limits>

#include "model/gradient_check.h"
#include "model/layer_model.h"
#include "model/layers.h"
#include "range_log.h"
#include "small_batch.h"
#include "tensor/cpu/cpu_backend.h"

// The layers used first, embedding and standardization, and flatten, which often follows them.
namespace lockstep {
namespace {

using Target = ProblemShape::Target;

constexpr double kTolerance = 1e-7;  // central differences with a step of 1e-5 in float64

TEST_CASE("gradients of an embedding's table, with numbers that come twice and numbers that never come") {
  for (const Shape& input : {Shape{5}, Shape{1}, Shape{2, 3}}) {
    CAPTURE(input.text());
    const ProblemShape shape{
        .input = input, .target = Target::real, .outputs = 2, .input_type = DType::int32, .vocabulary = 4};
    std::vector<LayerPointer> layers;
    layers.push_back(make_embedding(4, 3));
    layers.push_back(make_activation(Activation::tanh));
    layers.push_back(make_linear(2, LinearInit::glorot_uniform));
    LayerModel model(make_sequential(std::move(layers)), shape);
    CHECK(model.table()[0].name == "embedding_0/table");
    CHECK(model.table()[0].shape == Shape{4, 3});
    for (std::int64_t samples : {1, 3}) {
      SmallBatch batch(samples, shape);
      CHECK(gradient_error(model, batch.batch) < kTolerance);
    }
  }
}

TEST_CASE("an embedding of an empty batch, and of inputs that are no numbers of symbols") {
  const auto backend = make_cpu_backend();
  HostAllocator allocator;
  ProblemShape shape{.input = {2}, .target = Target::real, .outputs = 6, .input_type = DType::int32, .vocabulary = 4};
  std::vector<LayerPointer> layers;
  layers.push_back(make_embedding(4, 3));
  layers.push_back(make_flatten());
  LayerModel model(make_sequential(std::move(layers)), shape);
  const ParameterStore store(model.table(), allocator, allocator, DType::float32);
  backend->fill(store.gradients(), 7);
  RangeLog ranges(model.table().padded_count());
  Pass pass{.backend = *backend, .parameters = store, .on_gradient_ready = std::ref(ranges)};
  SmallBatch none(0, shape);
  model.forward(none.batch, pass);
  model.backward(pass);
  CHECK(ranges.complete());
  for (float gradient : store.gradient(0).span<float>()) CHECK(gradient == 0);

  shape.input_type = DType::float32;
  SmallBatch numbers(2, shape);
  CHECK_THROWS_WITH_AS(model.forward(numbers.batch, pass), doctest::Contains("let it stand first"), Error);
}

TEST_CASE("embeddings that cannot be are refused") {
  CHECK_THROWS_WITH_AS(make_embedding(0, 3), doctest::Contains("0 symbols in 3 numbers"), Error);
  CHECK_THROWS_AS(make_embedding(3, 0), Error);
  ParameterTable table;
  std::vector<Initializer> initializers;
  Declaration declaration(table, initializers);
  CHECK_THROWS_WITH_AS(make_embedding(4, 3)->declare({2, 2, 2, 2}, declaration), doctest::Contains("flatten"), Error);
}

TEST_CASE("a standardization's constants lie in the store and are never learned") {
  const auto backend = make_cpu_backend();
  HostAllocator allocator;
  ParameterTable table;
  std::vector<Initializer> initializers;
  Declaration declaration(table, initializers);
  const LayerPointer layer = make_standardization({1, -2}, {0.5, 0});
  CHECK(layer->declare({1, 2, 2}, declaration) == Shape{1, 2, 2});
  CHECK(table[0].name == "standardization_0/mean");
  CHECK(table[1].name == "standardization_0/deviation");
  CHECK(!table[0].trainable);
  CHECK(!table[1].trainable);
  CHECK(declaration.trainable() == 0);
  const ParameterStore store(table, allocator, allocator, DType::float32);
  initialize(*backend, store, initializers, 1);
  std::vector<float> x{1, -2, 2, 3};
  Pass pass{.backend = *backend, .parameters = store};
  const Tensor y = layer->forward(Tensor(x.data(), DType::float32, {1, 1, 2, 2}), pass);
  CHECK(std::vector<float>(y.as<float>(), y.as<float>() + 4) == std::vector<float>{0, 0, 2, 5});

  backend->fill(store.gradients(), 7);
  RangeLog ranges(table.padded_count());
  pass.on_gradient_ready = std::ref(ranges);
  CHECK(!is_given(layer->backward({}, InputGradient::not_needed, pass)));
  CHECK(ranges.complete());
  for (int i : {0, 1}) {
    for (float gradient : store.gradient(i).span<float>()) CHECK(gradient == 0);
  }
  CHECK_THROWS_WITH_AS(layer->backward(y, InputGradient::needed, pass), doctest::Contains("stands first"), Error);
}

TEST_CASE("constants that do not fit the channels, or are none, are refused") {
  ParameterTable table;
  std::vector<Initializer> initializers;
  Declaration declaration(table, initializers);
  CHECK_THROWS_WITH_AS(make_standardization({1, 2}, {1, 2})->declare({4, 3}, declaration),
                       doctest::Contains("inputs (4, 3) has 2 means and 2 standard deviations"), Error);
  CHECK_THROWS_AS(make_standardization({1, 2}, {1})->declare({2}, declaration), Error);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_WITH_AS(make_standardization({nan}, {1}), doctest::Contains("NaN"), Error);
  CHECK_THROWS_AS(make_standardization({1}, {-1}), Error);
}

TEST_CASE("flatten hands on its input's memory, and gradients find back") {
  for (const Shape& input : {Shape{1}, Shape{3, 5, 2}}) {
    CHECK(layer_gradient_error(make_flatten, input) < kTolerance);
    CHECK(layer_gradient_error(make_flatten, input, InputGradient::not_needed) == 0);
  }
}

}  // namespace
}  // namespace lockstep

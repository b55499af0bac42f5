#include "model/layers.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "model/gradient_check.h"
#include "tensor/cpu/cpu_backend.h"

namespace lockstep {
namespace {

constexpr double kTolerance = 1e-7;  // central differences with a step of 1e-5 in float64

TEST_CASE("gradients of the inputs, for every layer and odd shapes") {
  for (const Shape& input : {Shape{1}, Shape{7}, Shape{3, 5, 1}}) {
    CAPTURE(input.text());
    CHECK(layer_gradient_error([] { return make_linear(5, LinearInit::glorot_uniform); }, input) < kTolerance);
    CHECK(layer_gradient_error([] { return make_linear(1, LinearInit::he_uniform); }, input) < kTolerance);
    CHECK(layer_gradient_error(
              [] { return make_linear({.outputs = 3, .kernel = Initializer::normal(0.5), .has_bias = false}); },
              input) < kTolerance);
    for (Activation activation :
         {Activation::relu, Activation::tanh, Activation::gelu, Activation::gelu_tanh, Activation::sigmoid}) {
      CHECK(layer_gradient_error([=] { return make_activation(activation); }, input) < kTolerance);
    }
    CHECK(layer_gradient_error([] { return make_dropout(0.4); }, input) < kTolerance);
    CHECK(layer_gradient_error([] { return make_dropout(0); }, input) < kTolerance);
    CHECK(layer_gradient_error(
              [] {
                std::vector<LayerPointer> layers;
                layers.push_back(make_linear(6, LinearInit::he_uniform));
                layers.push_back(make_activation(Activation::gelu));
                layers.push_back(make_dropout(0.3));
                layers.push_back(make_linear(4, LinearInit::glorot_uniform));
                layers.push_back(make_activation(Activation::tanh));
                return make_sequential(std::move(layers));
              },
              input) < kTolerance);
  }
}

TEST_CASE("a linear layer and a norm have the name that they are given, and only the variables they need") {
  ParameterTable table;
  std::vector<Initializer> initializers;
  Declaration declaration(table, initializers);
  make_linear({.outputs = 3, .kernel = Initializer::normal(0.5), .name = "block/in"})->declare({4}, declaration);
  make_linear({.outputs = 3, .name = "block/out", .has_bias = false})->declare({4}, declaration);
  make_layer_norm({.name = "block/norm", .has_shift = false})->declare({4}, declaration);
  std::vector<std::string> names;
  for (const Variable& variable : table.variables()) names.push_back(variable.name);
  CHECK(names == std::vector<std::string>{"block/in/kernel", "block/in/bias", "block/out/kernel", "block/norm/scale"});
  CHECK(initializers[0].stddev == 0.5);
}

TEST_CASE("dropout rates outside [0, 1) are refused") {
  CHECK_THROWS_WITH_AS(make_dropout(1), doctest::Contains("dropout is 1"), Error);
  CHECK_THROWS_AS(make_dropout(-0.1), Error);
}

TEST_CASE("dropout leaves evaluation alone") {
  const auto backend = make_cpu_backend();
  HostAllocator allocator;
  ParameterTable table;
  std::vector<Initializer> initializers;
  Declaration declaration(table, initializers);
  const LayerPointer dropout = make_dropout(0.5);
  dropout->declare({4}, declaration);
  const ParameterStore store(table, allocator, allocator, DType::float32);
  std::vector<float> x{1, 2, 3, 4};
  Pass pass{.backend = *backend, .parameters = store, .mode = Pass::Mode::evaluate};
  const Tensor y = dropout->forward(Tensor(x.data(), DType::float32, {1, 4}), pass);
  CHECK(std::vector<float>(y.span<float>().begin(), y.span<float>().end()) == x);
}

}  // namespace
}  // namespace lockstep

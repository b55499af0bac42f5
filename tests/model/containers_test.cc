#include <doctest/doctest.h>

#include "model/gradient_check.h"
#include "model/layer_model.h"
#include "model/layers.h"
#include "range_log.h"
#include "small_batch.h"
#include "tensor/cpu/cpu_backend.h"

namespace lockstep {
namespace {

constexpr double kTolerance = 1e-7;  // central differences with a step of 1e-5 in float64

template <class... Layers>
std::vector<LayerPointer> list(Layers... layers) {
  std::vector<LayerPointer> all;
  (all.push_back(std::move(layers)), ...);
  return all;
}

template <class... Layers>
LayerPointer sequence(Layers... layers) {
  return make_sequential(list(std::move(layers)...));
}

LayerPointer dense(std::int64_t outputs) { return make_linear(outputs, LinearInit::glorot_uniform); }
LayerPointer tanh() { return make_activation(Activation::tanh); }

// Layers that return their input's memory, overwrite the gradient passed to them, or keep their output for later.
LayerPointer residual_of_shared_memory() { return make_residual(tanh(), sequence(tanh(), make_dropout(0.3))); }

LayerPointer nested() {
  return sequence(dense(4),
                  make_residual(sequence(make_residual(sequence(dense(4), tanh())), dense(4), make_layer_norm())),
                  make_parallel(list(sequence(dense(2), tanh()), make_residual(tanh()), dense(3)), Join::concatenate),
                  make_residual(dense(5), make_parallel(list(dense(5), sequence(tanh(), dense(5))), Join::add)));
}

TEST_CASE("gradients of residual blocks") {
  for (const Shape& input : {Shape{4}, Shape{1}, Shape{3, 2, 5}}) {
    CAPTURE(input.text());
    const std::int64_t all = input.elements();
    CHECK(layer_gradient_error([] { return make_residual(tanh()); }, input) < kTolerance);
    CHECK(layer_gradient_error([] { return make_residual(make_dropout(0)); }, input) < kTolerance);
    CHECK(layer_gradient_error(residual_of_shared_memory, input) < kTolerance);
    CHECK(layer_gradient_error([&] { return make_residual(dense(7), dense(7)); }, input) < kTolerance);
    CHECK(layer_gradient_error([&] { return sequence(make_flatten(), make_residual(dense(all))); }, input) <
          kTolerance);
  }
}

TEST_CASE("gradients of parallel branches, added and concatenated") {
  for (const Shape& input : {Shape{4}, Shape{1}, Shape{3, 2, 5}}) {
    CAPTURE(input.text());
    for (Join join : {Join::add, Join::concatenate}) {
      CHECK(layer_gradient_error([=] { return make_parallel(list(tanh()), join); }, input) < kTolerance);
      CHECK(layer_gradient_error([=] { return make_parallel(list(tanh(), make_dropout(0), tanh()), join); }, input) <
            kTolerance);
      CHECK(layer_gradient_error([=] { return make_parallel(list(dense(3), dense(3)), join); }, input) < kTolerance);
    }
    CHECK(layer_gradient_error(
              [] { return make_parallel(list(dense(1), sequence(tanh(), dense(5)), dense(2)), Join::concatenate); },
              input) < kTolerance);
  }
  CHECK(layer_gradient_error(
            [] {
              return make_parallel(list(make_group_norm(1), make_convolution({.filters = 4}),
                                        make_pooling({.stride = 1, .padding = Padding::same})),
                                   Join::concatenate);
            },
            {3, 5, 2}) < kTolerance);
}

TEST_CASE("gradients of containers in containers, first in the network or not") {
  for (const Shape& input : {Shape{3}, Shape{2, 3}}) {
    CHECK(layer_gradient_error(nested, input) < kTolerance);
    CHECK(layer_gradient_error(nested, input, InputGradient::not_needed) < kTolerance);
    CHECK(layer_gradient_error(residual_of_shared_memory, input, InputGradient::not_needed) == 0);
  }
}

TEST_CASE("an evaluation leaves the input alone where a container's part hands it on") {
  const auto backend = make_cpu_backend();
  HostAllocator allocator;
  for (const auto& make : {+[] { return make_residual(make_dropout(0.5)); },
                           +[] { return make_parallel(list(make_dropout(0.5), make_flatten()), Join::add); }}) {
    ParameterTable table;
    std::vector<Initializer> initializers;
    Declaration declaration(table, initializers);
    const LayerPointer layer = make();
    layer->declare({4}, declaration);
    const ParameterStore store(table, allocator, allocator, DType::float32);
    std::vector<float> x{1, 2, 3, 4};
    Pass pass{.backend = *backend, .parameters = store, .mode = Pass::Mode::evaluate};
    const Tensor y = layer->forward(Tensor(x.data(), DType::float32, {1, 4}), pass);
    CHECK(std::vector<float>(y.span<float>().begin(), y.span<float>().end()) == std::vector<float>{2, 4, 6, 8});
    CHECK(x == std::vector<float>{1, 2, 3, 4});
  }
}

// Records what it is asked for.
class Witness final : public Layer {
 public:
  explicit Witness(std::vector<InputGradient>& asked) : asked_(asked) {}
  Shape declare(const Shape& input, Declaration& declaration) override { return inner_->declare(input, declaration); }
  Tensor forward(const Tensor& input, Pass& pass) override { return inner_->forward(input, pass); }
  Tensor backward(const Tensor& output_gradient, InputGradient input_gradient, Pass& pass) override {
    asked_.push_back(input_gradient);
    return inner_->backward(output_gradient, input_gradient, pass);
  }

 private:
  LayerPointer inner_ = dense(3);
  std::vector<InputGradient>& asked_;
};

TEST_CASE("nobody computes a gradient for layers that have nothing to learn") {
  const ProblemShape shape{.input = {2, 3}, .target = ProblemShape::Target::real, .outputs = 3};
  std::vector<InputGradient> asked;
  const auto witness = [&] { return std::make_unique<Witness>(asked); };
  // From last to first: only the layer after another one with parameters has to compute an input gradient.
  std::vector<LayerPointer> layers =
      list(make_standardization({1, 2, 3}, {1, 0, 2}), tanh(), make_dropout(0.1),
           make_residual(witness(), sequence(make_flatten(), witness())), tanh(), witness());
  LayerModel model(make_sequential(std::move(layers)), shape);
  SmallBatch samples(3, shape);
  CHECK(gradient_error(model, samples.batch) < kTolerance);
  using enum InputGradient;
  REQUIRE(asked.size() >= 3);
  asked.resize(3);  // those of the first backward pass
  CHECK(asked == std::vector<InputGradient>{needed, not_needed, not_needed});
}

TEST_CASE("containers tell their ranges once and in order, for empty batches too") {
  const auto backend = make_cpu_backend();
  HostAllocator allocator;
  const ProblemShape shape{.input = {3, 2}, .target = ProblemShape::Target::real, .outputs = 5};
  const std::vector<double> constants{1, 2};
  LayerModel model(sequence(make_standardization(constants, constants), nested()), shape);
  const ParameterStore store(model.table(), allocator, allocator, DType::float64);
  initialize(*backend, store, model.initializers(), 3);
  for (std::int64_t count : {3, 0, 1}) {
    SmallBatch samples(count, shape);
    RangeLog ranges(model.table().padded_count());
    backend->fill(store.gradients(), 7);
    Pass pass{.backend = *backend,
              .parameters = store,
              .row_ids = samples.batch.row_ids,
              .on_gradient_ready = std::ref(ranges)};
    model.forward(samples.batch, pass);
    model.backward(pass);
    CHECK(ranges.complete());
    for (std::size_t i = 0; i < model.table().variables().size(); ++i) {
      if (count > 0 && model.table().variables()[i].trainable) continue;
      CAPTURE(model.table().variables()[i].name);
      for (double gradient : store.gradient(static_cast<int>(i)).span<double>()) CHECK(gradient == 0);
    }
  }
}

TEST_CASE("parts whose outputs cannot be joined are refused by their shapes") {
  const auto declare = [](const LayerPointer& layer, const Shape& input) {
    ParameterTable table;
    std::vector<Initializer> initializers;
    Declaration declaration(table, initializers);
    return layer->declare(input, declaration);
  };
  CHECK_THROWS_WITH_AS(declare(make_residual(dense(3)), {4}),
                       doctest::Contains("on an input of (4) its body gives (3) and its input is (4); give it a"),
                       Error);
  CHECK_THROWS_WITH_AS(declare(make_residual(dense(3), dense(2)), {4}),
                       doctest::Contains("its body gives (3) and its shortcut (2); let the"), Error);
  CHECK_THROWS_WITH_AS(declare(make_parallel(list(dense(3), dense(2)), Join::add), {4}),
                       doctest::Contains("give (3) and (2), which cannot be added"), Error);
  CHECK_THROWS_WITH_AS(declare(make_parallel(list(tanh(), dense(2)), Join::concatenate), {4, 2}),
                       doctest::Contains("give (4, 2) and (2), which cannot be concatenated"), Error);
  CHECK(declare(make_parallel(list(tanh(), make_layer_norm()), Join::concatenate), {4, 2}) == Shape{4, 4});
}

}  // namespace
}  // namespace lockstep

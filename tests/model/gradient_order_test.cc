#include "model/gradient_order.h"

#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "model/layer_model.h"
#include "model/layers.h"
#include "small_batch.h"
#include "support/check_error.h"
#include "tensor/backend.h"

namespace lockstep {
namespace {

// linear_0/kernel [0, 21), linear_0/bias [32, 35), swish_1/beta [48, 51), linear_2/kernel [64, 70).
ParameterTable small_table() {
  ParameterTable table;
  table.add("linear_0/kernel", {7, 3}, true);
  table.add("linear_0/bias", {3}, false);
  table.add("swish_1/beta", {3}, false);
  table.add("linear_2/kernel", {3, 2}, true);
  return table;
}

TEST_CASE("a pass in order is left alone, in ranges of any size") {
  const ParameterTable table = small_table();
  using Ranges = std::vector<FlatRange>;
  for (const Ranges& ranges :
       {Ranges{{64, 80}, {48, 64}, {0, 48}}, Ranges{FlatRange{0, 80}}, Ranges{{70, 80}, {70, 70}, {0, 70}}}) {
    GradientOrder order(table);
    for (const FlatRange range : ranges) order.ready(range);
    CHECK_NOTHROW(order.finish());
  }
  CHECK_NOTHROW(GradientOrder(ParameterTable()).finish());
}

TEST_CASE("what is missing is named by its layer and its variables") {
  const ParameterTable table = small_table();
  check_error(ExitCode::internal,
              {"layer swish_1 (variable swish_1/beta) did not report", "pass.on_gradient_ready(", "docs/extending.md"},
              [&] {
                GradientOrder order(table);
                order.ready({64, 80});
                order.ready({0, 48});
              });
  check_error(ExitCode::internal, {"layers swish_1, linear_2 (variables swish_1/beta, linear_2/kernel) did not"}, [&] {
    GradientOrder(table).ready({0, 48});
  });
  check_error(ExitCode::internal, {"layer linear_0 (variables linear_0/kernel, linear_0/bias) did not report"}, [&] {
    GradientOrder order(table);
    order.ready({48, 80});
    order.finish();
  });
  // The variable's range without the padding after it.
  check_error(ExitCode::internal, {"layer linear_2 (variable linear_2/kernel) did not report all"}, [&] {
    GradientOrder(table).ready({64, 70});
  });
}

TEST_CASE("what is reported twice, or is no range of the store, is refused") {
  const ParameterTable table = small_table();
  check_error(ExitCode::internal, {"layer linear_2 (variable linear_2/kernel) reported", "before"}, [&] {
    GradientOrder order(table);
    order.ready({64, 80});
    order.ready({64, 80});
  });
  for (const FlatRange range : {FlatRange{-1, 80}, FlatRange{64, 81}, FlatRange{80, 64}}) {
    check_error(ExitCode::internal, {"of 80 there are"}, [&] { GradientOrder(table).ready(range); });
  }
}

// y = x + beta, which forgets to report beta's gradient.
class Forgetful final : public Layer {
 public:
  Shape declare(const Shape& input, Declaration& declaration) override {
    const int number = declaration.next_layer();
    beta_ = declaration.variable("forgetful_" + std::to_string(number) + "/beta", {1}, Initializer::zeros(), false);
    return input;
  }
  Tensor forward(const Tensor& input, Pass& /*pass*/) override { return input; }
  Tensor backward(const Tensor& output_gradient, InputGradient /*input_gradient*/, Pass& pass) override {
    pass.backend.fill(pass.parameters.gradient(beta_), 0);
    return output_gradient;
  }

 private:
  int beta_ = 0;
};

TEST_CASE("a model with a layer that forgets its report names it, before or after the layers around it have reported") {
  const auto backend = make_backend({});
  HostAllocator allocator;
  const ProblemShape shape{.input = {4}, .outputs = 3};
  SmallBatch samples(5, shape);
  for (const bool first : {false, true}) {
    std::vector<LayerPointer> layers;
    if (first) layers.push_back(std::make_unique<Forgetful>());
    layers.push_back(make_linear(3, LinearInit::glorot_uniform));
    if (!first) {
      layers.push_back(std::make_unique<Forgetful>());
      layers.push_back(make_linear(3, LinearInit::glorot_uniform));
    }
    LayerModel model(make_sequential(std::move(layers)), shape);
    const ParameterStore store(model.table(), allocator, allocator, DType::float64);
    initialize(*backend, store, model.initializers(), 5);
    Pass pass{.backend = *backend, .parameters = store, .row_ids = samples.batch.row_ids};
    model.forward(samples.batch, pass);
    const std::string layer = first ? "forgetful_0" : "forgetful_1";
    check_error(ExitCode::internal, {"layer " + layer + " (variable " + layer + "/beta) did not report"},
                [&] { model.backward(pass); });
  }
}

// y = x + beta, faulty in one way that shows in another layer.
class Careless final : public Layer {
 public:
  enum class Way { range_behind, range_in_front, no_input_gradient, output_shape };
  explicit Careless(Way way) : way_(way) {}

  Shape declare(const Shape& input, Declaration& declaration) override {
    const int number = declaration.next_layer();
    beta_ = declaration.variable("careless_" + std::to_string(number) + "/beta", {1}, Initializer::zeros(), false);
    return input;
  }
  Tensor forward(const Tensor& input, Pass& /*pass*/) override {
    return way_ == Way::output_shape ? input.reshaped({input.count(), 1}) : input;
  }
  Tensor backward(const Tensor& output_gradient, InputGradient /*input_gradient*/, Pass& pass) override {
    pass.backend.fill(pass.parameters.gradient(beta_), 0);
    const int first = way_ == Way::range_in_front ? beta_ - 1 : beta_;
    const int last = way_ == Way::range_behind ? beta_ + 1 : beta_;
    pass.on_gradient_ready(pass.parameters.table().padded(first, last + 1));
    return way_ == Way::no_input_gradient ? Tensor() : output_gradient;
  }

 private:
  Way way_;
  int beta_ = 0;
};

TEST_CASE("a layer whose mistake shows in the layer before or behind it is named itself") {
  const auto backend = make_backend({});
  HostAllocator allocator;
  const ProblemShape shape{.input = {4}, .outputs = 3};
  SmallBatch samples(5, shape);
  const std::vector<std::pair<Careless::Way, std::string>> expected{
      {Careless::Way::range_behind, "reported the gradients [32, 64) as ready, and its own are [32, 48)"},
      {Careless::Way::range_in_front, "reported the gradients [16, 48) as ready, and its own are [32, 48)"},
      {Careless::Way::no_input_gradient, "gives no gradient of its input"},
      {Careless::Way::output_shape, "gives (15, 1), and its declare() has said (5, 3)"}};
  for (const auto& [way, what] : expected) {
    std::vector<LayerPointer> layers;
    layers.push_back(make_linear(3, LinearInit::glorot_uniform));  // kernel [0, 16), bias [16, 32)
    layers.push_back(std::make_unique<Careless>(way));             // [32, 48)
    layers.push_back(make_linear(3, LinearInit::glorot_uniform));
    LayerModel model(make_sequential(std::move(layers)), shape);
    const ParameterStore store(model.table(), allocator, allocator, DType::float64);
    initialize(*backend, store, model.initializers(), 5);
    Pass pass{.backend = *backend, .parameters = store, .row_ids = samples.batch.row_ids};
    check_error(ExitCode::internal, {"layer careless_1 (variable careless_1/beta) " + what}, [&] {
      model.forward(samples.batch, pass);
      model.backward(pass);
    });
  }
}

}  // namespace
}  // namespace lockstep

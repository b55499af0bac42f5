#include <doctest/doctest.h>

#include <cmath>
#include <utility>
#include <vector>

#include "base/random.h"
#include "model/layers.h"
#include "model/transformer/feed_forward.h"
#include "tensor/cpu/cpu_backend.h"

// Layers that write the type that products take: the same result as if the next linear layer converted it.
namespace lockstep {
namespace {

constexpr std::int64_t kWidth = 17;
constexpr std::int64_t kRows = 31;

struct Result {
  std::vector<float> output, input_gradient;
  std::vector<std::vector<float>> gradients;  // by variable
};

std::vector<float> draws(std::int64_t count, std::uint16_t stream) {
  const RandomStream random{.purpose = Purpose::initial_value, .stream = stream};
  std::vector<float> values(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = 2 * uniform_float(random.block(static_cast<std::uint32_t>(i))[0]) - 1;
  }
  return values;
}

std::vector<float> copied(const Tensor& tensor) { return {tensor.as<float>(), tensor.as<float>() + tensor.count()}; }

// Runs a pass over rows (kRows, kWidth) with products of bfloat16; variables and rows are random.
Result pass_of(Backend& backend, const LayerPointer& layer) {
  ParameterTable table;
  std::vector<Initializer> initializers;
  Declaration declaration(table, initializers);
  const Shape output = layer->declare({kWidth}, declaration);
  HostAllocator allocator;
  ParameterStore store(table, allocator, allocator, DType::float32);
  store.set_product_dtype(backend, DType::bfloat16);
  std::vector<float> values = draws(store.values().count(), 1);
  backend.copy(Tensor(values.data(), DType::float32, store.values().shape()), store.values());
  store.update_copy(backend);

  std::vector<float> x = draws(kRows * kWidth, 2);
  std::vector<float> dy = draws(kRows * output.elements(), 3);
  Pass pass{.backend = backend, .parameters = store};
  Result result;
  result.output = copied(layer->forward(Tensor(x.data(), DType::float32, {kRows, kWidth}), pass));
  result.input_gradient =
      copied(layer->backward(Tensor(dy.data(), DType::float32, output.with_front(kRows)), InputGradient::needed, pass));
  for (int i = 0; i < static_cast<int>(table.variables().size()); ++i) {
    result.gradients.push_back(copied(store.gradient(i)));
  }
  return result;
}

LayerPointer in_order(LayerPointer a, LayerPointer b, LayerPointer c = nullptr) {
  std::vector<LayerPointer> layers;
  layers.push_back(std::move(a));
  layers.push_back(std::move(b));
  if (c != nullptr) layers.push_back(std::move(c));
  return make_sequential(std::move(layers));
}

// The bias before the activation sums rounded gradients: each is off by at most 2^-9 of itself.
TEST_CASE("a feed-forward layer with products of bfloat16 is its three layers, bit for bit but for the first bias") {
  const auto backend = make_cpu_backend();
  if (!backend->bfloat16_products().empty()) return;
  TransformerOptions options;
  options.hidden_size = kWidth;
  options.filter_size = 33;
  for (const Activation activation : {Activation::relu, Activation::gelu, Activation::gelu_tanh}) {
    CAPTURE(activation);
    options.activation = activation;
    const Result one = pass_of(*backend, make_feed_forward(options, {.name = "ffn"}));
    const Result three =
        pass_of(*backend, in_order(make_linear(33, LinearInit::he_uniform), make_activation(activation),
                                   make_linear(kWidth, LinearInit::he_uniform)));
    CHECK(one.output == three.output);
    CHECK(one.input_gradient == three.input_gradient);
    for (const std::size_t variable : {0U, 2U, 3U}) CHECK(one.gradients[variable] == three.gradients[variable]);
    double squares = 0;
    double reference = 0;
    for (std::size_t i = 0; i < three.gradients[1].size(); ++i) {
      squares += std::pow(static_cast<double>(one.gradients[1][i]) - static_cast<double>(three.gradients[1][i]), 2);
      reference += std::pow(static_cast<double>(three.gradients[1][i]), 2);
    }
    CHECK(std::sqrt(squares / reference) < 0x1p-9);
  }
}

TEST_CASE("a norm before products writes what their layer would convert") {
  const auto backend = make_cpu_backend();
  if (!backend->bfloat16_products().empty()) return;
  const auto of_norm = [&](bool feeds_products) {
    return pass_of(*backend, in_order(make_layer_norm({.feeds_products = feeds_products}),
                                      make_linear(5, LinearInit::he_uniform)));
  };
  const Result direct = of_norm(true);
  const Result converted = of_norm(false);
  CHECK(direct.output == converted.output);
  CHECK(direct.input_gradient == converted.input_gradient);
  CHECK(direct.gradients == converted.gradients);
}

}  // namespace
}  // namespace lockstep

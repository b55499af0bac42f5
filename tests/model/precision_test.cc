#include <doctest/doctest.h>

#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include "base/random.h"
#include "model/layers.h"
#include "model/parameter_store.h"
#include "tensor/cpu/cpu_backend.h"

// Compares products of bfloat16 with those of float32. Skipped if the processor has none.
namespace lockstep {
namespace {

constexpr std::int64_t kInputs = 45;
constexpr std::int64_t kOutputs = 17;
constexpr std::int64_t kRows = 31;

enum class Numbers { any, whole };

std::vector<float> draws(std::int64_t count, std::uint16_t stream, Numbers numbers) {
  const RandomStream random{.purpose = Purpose::initial_value, .stream = stream};
  std::vector<float> values(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < values.size(); ++i) {
    const float value = 2 * uniform_float(random.block(static_cast<std::uint32_t>(i))[0]) - 1;
    values[i] = numbers == Numbers::whole ? std::round(4 * value) : value;
  }
  return values;
}

// Two linear layers, or one for whole numbers, since their results need not fit into bfloat16; and a pass.
class Network {
 public:
  Network(Backend& backend, DType product_dtype, Numbers numbers)
      : backend_(backend), layer_(make_layers(numbers)), store_(declared(), allocator_, allocator_, DType::float32) {
    store_.set_product_dtype(backend, product_dtype);
    const std::vector<float> values = draws(store_.values().count(), 1, numbers);
    for (const Variable& variable : table_.variables()) {
      const double scale = numbers == Numbers::whole ? 1 : 1 / std::sqrt(static_cast<double>(variable.shape[0]));
      for (std::int64_t i = variable.range.begin; i < variable.range.end; ++i) {
        store_.values().as<float>()[i] = static_cast<float>(scale) * values[static_cast<std::size_t>(i)];
      }
    }
    input_ = draws(kRows * kInputs, 2, numbers);
    output_gradient_ = draws(kRows * kOutputs, 3, numbers);
  }

  const ParameterStore& store() const { return store_; }

  // The outputs, the gradient of the inputs, all gradients of the variables.
  struct Result {
    std::vector<float> output, input_gradient, gradients;
  };
  Result pass() {
    Pass pass{.backend = backend_, .parameters = store_};
    Result result;
    result.output = copied(layer_->forward(Tensor(input_.data(), DType::float32, {kRows, kInputs}), pass));
    std::vector<float> dy = output_gradient_;
    const Tensor gradient(dy.data(), DType::float32, {kRows, kOutputs});
    result.input_gradient = copied(layer_->backward(gradient, InputGradient::needed, pass));
    result.gradients = copied(store_.gradients());
    return result;
  }

 private:
  static LayerPointer make_layers(Numbers numbers) {
    if (numbers == Numbers::whole) return make_linear(kOutputs, LinearInit::he_uniform);
    std::vector<LayerPointer> layers;
    layers.push_back(make_linear(33, LinearInit::he_uniform));
    layers.push_back(make_activation(Activation::relu));
    layers.push_back(make_linear(kOutputs, LinearInit::glorot_uniform));
    return make_sequential(std::move(layers));
  }
  static std::vector<float> copied(const Tensor& tensor) {
    return {tensor.as<float>(), tensor.as<float>() + tensor.count()};
  }
  const ParameterTable& declared() {
    std::vector<Initializer> initializers;
    Declaration declaration(table_, initializers);
    layer_->declare({kInputs}, declaration);
    return table_;
  }

  Backend& backend_;
  HostAllocator allocator_;
  ParameterTable table_;
  LayerPointer layer_;
  ParameterStore store_;
  std::vector<float> input_;
  std::vector<float> output_gradient_;
};

// Returns |a - b| / |b| for vectors.
double relative_difference(std::span<const float> a, std::span<const float> b) {
  double squares = 0;
  double reference = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    squares += std::pow(static_cast<double>(a[i]) - static_cast<double>(b[i]), 2);
    reference += std::pow(static_cast<double>(b[i]), 2);
  }
  return std::sqrt(squares / reference);
}

TEST_CASE("a layer of small whole numbers, which bfloat16 holds, gives the bits of float32") {
  const auto backend = make_cpu_backend();
  if (!backend->bfloat16_products().empty()) return;
  Network wide(*backend, DType::float32, Numbers::whole);
  Network narrow(*backend, DType::bfloat16, Numbers::whole);
  narrow.store().update_copy(*backend);
  CHECK(narrow.store().product_value(0).dtype() == DType::bfloat16);
  const Network::Result of_wide = wide.pass();
  const Network::Result of_narrow = narrow.pass();
  CHECK(of_narrow.output == of_wide.output);
  CHECK(of_narrow.input_gradient == of_wide.input_gradient);
  CHECK(of_narrow.gradients == of_wide.gradients);
}

// Each operand is off by at most 2^-9 of itself, a sum of products of both by about 2^-9 * sqrt(2 / 3) of their norm; a
// ReLU whose input crosses 0 and the second product add to that.
TEST_CASE("a network with products of bfloat16 is close to that of float32, forward and backward") {
  const auto backend = make_cpu_backend();
  if (!backend->bfloat16_products().empty()) return;
  Network wide(*backend, DType::float32, Numbers::any);
  Network narrow(*backend, DType::bfloat16, Numbers::any);
  narrow.store().update_copy(*backend);
  const Network::Result of_wide = wide.pass();
  const Network::Result of_narrow = narrow.pass();
  const auto check_close = [](std::span<const float> a, std::span<const float> b) {
    const double difference = relative_difference(a, b);
    CHECK(difference < 0.02);
    CHECK(difference > 1e-4);  // it really computed in bfloat16
  };
  check_close(of_narrow.output, of_wide.output);
  check_close(of_narrow.input_gradient, of_wide.input_gradient);
  check_close(of_narrow.gradients, of_wide.gradients);
}

TEST_CASE("products see what the values were at the last update of the copy") {
  const auto backend = make_cpu_backend();
  if (!backend->bfloat16_products().empty()) return;
  Network network(*backend, DType::bfloat16, Numbers::any);
  network.store().update_copy(*backend);
  const std::vector<float> before = network.pass().output;
  backend->scale(network.store().value(0), 2);
  CHECK(network.pass().output == before);
  network.store().update_copy(*backend);
  CHECK(network.pass().output != before);
}

TEST_CASE("a store of float32 alone has no copy, and none of another type is made") {
  const auto backend = make_cpu_backend();
  HostAllocator allocator;
  ParameterTable table;
  table.add("a", {3, 5}, true);
  ParameterStore store(table, allocator, allocator, DType::float32);
  store.set_product_dtype(*backend, DType::float32);
  store.update_copy(*backend);
  CHECK(store.product_dtype() == DType::float32);
  CHECK(store.product_value(0).data() == store.value(0).data());
  CHECK_THROWS_AS(store.set_product_dtype(*backend, DType::float16), Error);
}

}  // namespace
}  // namespace lockstep

#include "model/gradient_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "base/random.h"
#include "model/gradient_order.h"
#include "tensor/backend.h"

namespace lockstep {
namespace {

constexpr double kStep = 1e-5;

void check_layer(bool right, const std::string& why) {
  if (!right) throw Error(ExitCode::internal, "the layer " + why);
}

void fill_random(const Tensor& tensor, std::uint16_t stream) {
  const RandomStream random{.seed = 3, .stream = stream};
  for (std::int64_t i = 0; i < tensor.count(); ++i) {
    tensor.as<double>()[i] = 2 * static_cast<double>(uniform_float(random.block(static_cast<std::uint32_t>(i))[0])) - 1;
  }
}

// The largest |a - b| over the largest |b|.
double relative_error(const std::vector<double>& a, const std::vector<double>& b) {
  double difference = 0;
  double largest = 1e-12;
  for (std::size_t i = 0; i < a.size(); ++i) {
    difference = std::max(difference, std::abs(a[i] - b[i]));
    largest = std::max(largest, std::abs(b[i]));
  }
  return difference / largest;
}

// d value() / d x[i] for all i.
std::vector<double> central_differences(double* x, std::int64_t count, const std::function<double()>& value) {
  std::vector<double> slopes;
  for (std::int64_t i = 0; i < count; ++i) {
    const double before = x[i];
    x[i] = before + kStep;
    const double above = value();
    x[i] = before - kStep;
    const double below = value();
    x[i] = before;
    slopes.push_back((above - below) / (2 * kStep));
  }
  return slopes;
}

// Moves learned variables off their initial values, where a wrong gradient could hide: a scale of 1, a shift of 0.
void disturb(const ParameterStore& store) {
  for (std::size_t i = 0; i < store.table().variables().size(); ++i) {
    if (!store.table().variables()[i].trainable) continue;
    const Tensor value = store.value(static_cast<int>(i));
    std::vector<double> change(static_cast<std::size_t>(value.count()));
    fill_random(Tensor(change.data(), DType::float64, value.shape()), static_cast<std::uint16_t>(10 + i));
    for (std::size_t k = 0; k < change.size(); ++k) value.as<double>()[k] += 0.5 * change[k];
  }
}

// Of all variables together: one alone may have no slope but rounding (a bias before a norm). Constants have
// gradients of zero.
double variables_error(const ParameterStore& store, const std::function<double()>& value) {
  std::vector<double> computed;
  std::vector<double> expected;
  for (std::size_t i = 0; i < store.table().variables().size(); ++i) {
    const auto gradient = store.gradient(static_cast<int>(i)).span<double>();
    computed.insert(computed.end(), gradient.begin(), gradient.end());
    if (store.table().variables()[i].trainable) {
      const auto slopes =
          central_differences(store.value(static_cast<int>(i)).as<double>(), std::ssize(gradient), value);
      expected.insert(expected.end(), slopes.begin(), slopes.end());
    }
    expected.resize(computed.size());
  }
  return relative_error(computed, expected);
}

}  // namespace

double gradient_error(Model& model, const Batch& batch) {
  const auto backend = make_backend({});
  HostAllocator allocator;
  const ParameterStore store(model.table(), allocator, DType::float64, 0);
  initialize(*backend, store, model.initializers(), 5);
  disturb(store);
  Pass pass{.backend = *backend, .parameters = store, .seed = 9, .step = 4, .sample_ids = batch.sample_ids};
  model.forward(batch, pass);
  model.backward(pass);
  return variables_error(store, [&] { return model.forward(batch, pass)["loss"]; });
}

// The scalar is the sum of output * r with random r, whose gradient of the output is r.
double layer_gradient_error(const std::function<LayerPointer()>& make_layer, const Shape& input, InputGradient asked) {
  const auto backend = make_backend({});
  HostAllocator allocator;
  ParameterTable table;
  std::vector<Initializer> initializers;
  Declaration declaration(table, initializers);
  const LayerPointer layer = make_layer();
  constexpr std::int64_t kBatch = 3;
  const Shape output = layer->declare(input, declaration).with_front(kBatch);
  const ParameterStore store(table, allocator, DType::float64, 0);
  initialize(*backend, store, initializers, 5);
  disturb(store);

  std::vector<double> x(static_cast<std::size_t>(kBatch * input.elements()));
  std::vector<double> r(static_cast<std::size_t>(output.elements()));
  std::vector<std::int64_t> ids{11, 4, 7};
  const Tensor x_tensor(x.data(), DType::float64, input.with_front(kBatch));
  fill_random(x_tensor, 1);
  fill_random(Tensor(r.data(), DType::float64, output), 2);
  const std::vector<double> x_before = x;
  GradientOrder order(table);
  Pass pass{.backend = *backend,
            .parameters = store,
            .seed = 9,
            .step = 4,
            .sample_ids = Tensor(ids.data(), DType::int64, {kBatch}),
            .on_gradient_ready = [&](FlatRange range) { order.ready(range); }};

  const auto scalar = [&] {
    const Tensor y = layer->forward(x_tensor, pass);
    check_layer(y.shape() == output, fmt::format("gives {}, and its declare() has said {} (with the batch in front)",
                                                 y.shape().text(), output.text()));
    return std::inner_product(r.begin(), r.end(), y.as<double>(), 0.0);
  };
  scalar();
  std::vector<double> dy = r;  // the layer may overwrite it
  const Tensor dx = layer->backward(Tensor(dy.data(), DType::float64, output), asked, pass);
  order.finish();
  check_layer(x == x_before, "has changed its input, which is its caller's");
  check_layer(is_given(dx) == (asked == InputGradient::needed),
              is_given(dx) ? "gives a gradient of its input that is not needed"
                           : "gives no gradient of its input, which is needed");
  double error = 0;
  if (is_given(dx)) {
    check_layer(dx.shape() == x_tensor.shape(), fmt::format("gives a gradient of its input of {}, and the input is {}",
                                                            dx.shape().text(), x_tensor.shape().text()));
    const std::vector<double> computed(dx.as<double>(), dx.as<double>() + dx.count());
    error = relative_error(computed, central_differences(x.data(), x_tensor.count(), scalar));
  }
  return std::max(error, variables_error(store, scalar));
}

}  // namespace lockstep

#include "gradient_check.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "base/random.h"
#include "tensor/cpu/cpu_backend.h"

namespace lockstep {
namespace {

constexpr double kStep = 1e-5;

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

}  // namespace

double gradient_error(Model& model, const Batch& batch) {
  const auto backend = make_cpu_backend();
  HostAllocator allocator;
  const ParameterStore store(model.table(), allocator, DType::float64, 0);
  initialize(*backend, store, model.initializers(), 5);
  const Tensor values = store.values();
  Pass pass{.backend = *backend, .parameters = store, .seed = 9, .step = 4, .sample_ids = batch.sample_ids};
  model.forward(batch, pass);
  model.backward(pass);
  const auto gradients = store.gradients().span<double>();
  const std::vector<double> computed(gradients.begin(), gradients.end());
  const auto expected =
      central_differences(values.as<double>(), values.count(), [&] { return model.forward(batch, pass).loss; });
  return relative_error(computed, expected);
}

// The scalar is the sum of output * r with random r, whose gradient of the output is r.
double input_gradient_error(const std::function<LayerPointer()>& make_layer, const Shape& input) {
  const auto backend = make_cpu_backend();
  HostAllocator allocator;
  ParameterTable table;
  std::vector<Initializer> initializers;
  Declaration declaration(table, initializers);
  const LayerPointer layer = make_layer();
  constexpr std::int64_t kBatch = 3;
  const Shape output = layer->declare(input, declaration).with_front(kBatch);
  const ParameterStore store(table, allocator, DType::float64, 0);
  initialize(*backend, store, initializers, 5);

  std::vector<double> x(static_cast<std::size_t>(kBatch * input.elements()));
  std::vector<double> r(static_cast<std::size_t>(output.elements()));
  std::vector<std::int64_t> ids{11, 4, 7};
  const Tensor x_tensor(x.data(), DType::float64, input.with_front(kBatch));
  fill_random(x_tensor, 1);
  fill_random(Tensor(r.data(), DType::float64, output), 2);
  Pass pass{.backend = *backend,
            .parameters = store,
            .seed = 9,
            .step = 4,
            .sample_ids = Tensor(ids.data(), DType::int64, {kBatch})};

  const auto scalar = [&] {
    const auto y = layer->forward(x_tensor, pass).span<double>();
    return std::inner_product(y.begin(), y.end(), r.begin(), 0.0);
  };
  scalar();
  std::vector<double> dy = r;  // the layer may overwrite it
  const auto dx =
      layer->backward(Tensor(dy.data(), DType::float64, output), InputGradient::needed, pass).span<double>();
  const std::vector<double> computed(dx.begin(), dx.end());
  return relative_error(computed, central_differences(x.data(), x_tensor.count(), scalar));
}

}  // namespace lockstep

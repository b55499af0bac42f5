#include "model/layer_model.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "model/gradient_check.h"
#include "model/image_models.h"
#include "model/layers.h"
#include "range_log.h"
#include "small_batch.h"
#include "tensor/cpu/cpu_backend.h"

namespace lockstep {
namespace {

HParams small_mlp(const std::string& activation) {
  HParams hparams = mlp_hparams();
  hparams.parse("hidden_size=7,num_hidden_layers=2,dropout=0.3,activation=" + activation);
  return hparams;
}

TEST_CASE("gradients of every variable, both losses, uneven weights") {
  for (auto target : {ProblemShape::Target::class_label, ProblemShape::Target::real}) {
    const ProblemShape shape{.input = {3, 3, 1}, .target = target, .outputs = 3};
    SmallBatch samples(5, shape);
    CHECK(gradient_error(*make_linear_model({}, shape), samples.batch) < 1e-7);
    for (const char* activation : {"relu", "tanh", "gelu"}) {
      CAPTURE(activation);
      CHECK(gradient_error(*make_mlp_model(small_mlp(activation), shape), samples.batch) < 1e-7);
    }
  }
}

TEST_CASE("ranges become ready from the end of the store to its start, without a gap, for an empty batch too") {
  const ProblemShape shape{.input = {3, 3, 1}, .outputs = 4};
  const auto model = make_mlp_model(small_mlp("relu"), shape);
  const auto backend = make_cpu_backend();
  HostAllocator allocator;
  const ParameterStore store(model->table(), allocator, allocator, DType::float64);
  for (std::int64_t samples : {5, 0}) {
    SmallBatch small(samples, shape);
    RangeLog ranges(model->table().padded_count());
    backend->fill(store.gradients(), 7);
    Pass pass{.backend = *backend,
              .parameters = store,
              .row_ids = small.batch.row_ids,
              .on_gradient_ready = std::ref(ranges)};
    CHECK(model->forward(small.batch, pass).weight == (samples == 0 ? 0 : 0.5 + 1.5 + 0 + 1.5 + 0.5));
    model->backward(pass);
    CHECK(ranges.complete());
    if (samples == 0) {
      CHECK(store.gradient(0).as<double>()[0] == 0);
      CHECK(store.gradient(1).as<double>()[0] == 0);
    }
  }
}

TEST_CASE("the mlp of the default set is 784-512-512-10") {
  const auto model = make_mlp_model(mlp_hparams(), {.input = {28, 28, 1}, .outputs = 10});
  CHECK(model->table().parameter_count() == 784 * 512 + 512 + 512 * 512 + 512 + 512 * 10 + 10);
}

TEST_CASE("initial values depend on seed and variable only, and stay within their limits") {
  const auto model = make_mlp_model(mlp_hparams(), {.input = {28, 28, 1}, .outputs = 10});
  const auto backend = make_cpu_backend();
  HostAllocator allocator;
  const ParameterStore a(model->table(), allocator, allocator, DType::float32);
  const ParameterStore b(model->table(), allocator, allocator, DType::float32);
  initialize(*backend, a, model->initializers(), 1);
  initialize(*backend, b, model->initializers(), 1);
  const auto values = a.values().span<float>();
  CHECK(std::equal(values.begin(), values.end(), b.values().as<float>()));
  initialize(*backend, b, model->initializers(), 2);
  CHECK(!std::equal(values.begin(), values.end(), b.values().as<float>()));
  const double limit = std::sqrt(6.0 / 784);
  double sum = 0;
  for (float value : a.value(0).span<float>()) {
    CHECK_MESSAGE(std::abs(value) <= limit, value);
    sum += value;
  }
  CHECK(std::abs(sum / (784 * 512)) < limit / 100);
  for (float value : a.value(1).span<float>()) CHECK(value == 0);
}

TEST_CASE("a network that does not fit the problem, and hparams out of range, are refused") {
  CHECK_THROWS_WITH_AS(LayerModel(make_linear(3, LinearInit::glorot_uniform), {.input = {4}, .outputs = 5}),
                       doctest::Contains("the model gives (3)"), Error);
  const ProblemShape shape{.input = {4}, .outputs = 5};
  HParams hparams = mlp_hparams();
  hparams.parse("hidden_size=0");
  CHECK_THROWS_WITH_AS(make_mlp_model(hparams, shape), doctest::Contains("hidden_size is 0"), Error);
  hparams = mlp_hparams();
  hparams.parse("activation=rely");
  CHECK_THROWS_WITH_AS(make_mlp_model(hparams, shape), doctest::Contains("did you mean 'relu'"), Error);
}

TEST_CASE("an evaluation also counts the top 5, or sums up errors; training does not") {
  const auto backend = make_cpu_backend();
  HostAllocator allocator;
  for (auto target : {ProblemShape::Target::class_label, ProblemShape::Target::real}) {
    const ProblemShape shape{.input = {4}, .target = target, .outputs = 7};
    const auto model = make_linear_model({}, shape);
    const ParameterStore store(model->table(), allocator, allocator, DType::float64);
    initialize(*backend, store, model->initializers(), 5);
    // Outputs that grow with their index, whatever the input: the top 5 are 2 to 6.
    backend->fill(store.value(0), 0);
    for (std::int64_t k = 0; k < 7; ++k) store.value(1).as<double>()[k] = 0.25 * static_cast<double>(k);
    SmallBatch samples(7, shape);
    Pass pass{.backend = *backend, .parameters = store, .mode = Pass::Mode::evaluate};
    const MetricSums sums = model->forward(samples.batch, pass);
    double in_top5 = 0;
    double squared = 0;
    double absolute = 0;
    for (std::size_t i = 0; i < 7; ++i) {
      const auto weight = static_cast<double>(samples.weights[i]);
      if (samples.labels[i] >= 2) in_top5 += weight;
      for (std::size_t k = 0; k < 7; ++k) {
        const double error = 0.25 * static_cast<double>(k) - static_cast<double>(samples.targets[i * 7 + k]);
        squared += weight * error * error / 7;
        absolute += weight * std::abs(error) / 7;
      }
    }
    const bool labels = target == ProblemShape::Target::class_label;
    CHECK(sums["top5_accuracy"] == (labels ? in_top5 : 0));
    CHECK(sums["mean_squared_error"] == doctest::Approx(labels ? 0 : squared));
    CHECK(sums["mean_absolute_error"] == doctest::Approx(labels ? 0 : absolute));
    if (!labels) CHECK(sums["mean_squared_error"] == doctest::Approx(sums["loss"]));

    pass.mode = Pass::Mode::train;
    const MetricSums trained = model->forward(samples.batch, pass);
    CHECK(trained["loss"] == sums["loss"]);
    CHECK(trained["top5_accuracy"] + trained["mean_squared_error"] + trained["mean_absolute_error"] == 0);
    pass.mode = Pass::Mode::evaluate;
    SmallBatch none(0, shape);
    const MetricSums empty = model->forward(none.batch, pass);
    CHECK(empty.weight + empty["top5_accuracy"] + empty["mean_squared_error"] == 0);
  }
}

// Predictions of a linear model for two samples: its biases, whatever the inputs.
struct Predicted {
  Predicted(const std::string& loss, ProblemShape::Target target, const std::vector<float>& biases) {
    const auto outputs = static_cast<std::int64_t>(biases.size());
    const ProblemShape shape{.input = {4}, .target = target, .outputs = outputs};
    HParams hparams = loss_hparams();
    hparams.parse("loss=" + loss);
    const auto model = make_linear_model(hparams, shape);
    const auto backend = make_cpu_backend();
    HostAllocator allocator;
    const ParameterStore store(model->table(), allocator, DType::float32);
    backend->fill(store.values(), 0);
    std::ranges::copy(biases, store.value(1).as<float>());
    std::vector<float> inputs(8, 1.0F);
    SmallBatch samples(2, shape);
    samples.batch.inputs = Tensor(inputs.data(), DType::float32, {2, 4});
    values.resize(2 * biases.size());
    if (target == ProblemShape::Target::class_label) classes.resize(2);
    Pass pass{.backend = *backend, .parameters = store, .mode = Pass::Mode::evaluate};
    model->predict(samples.batch, pass, values, classes);
  }
  std::vector<float> values{};
  std::vector<std::int32_t> classes{};
};

TEST_CASE("predictions: numbers as they are, or through the loss's sigmoid") {
  const auto real = ProblemShape::Target::real;
  CHECK(Predicted("mean_squared_error", real, {0.5F, -3}).values == std::vector<float>{0.5F, -3, 0.5F, -3});
  const Predicted squashed("sigmoid_cross_entropy", real, {0, 2});
  CHECK(squashed.values[0] == doctest::Approx(0.5));
  CHECK(squashed.values[3] == doctest::Approx(1 / (1 + std::exp(-2.0))));
}

TEST_CASE("predictions: probabilities of classes, and the lowest of the most probable") {
  const auto labels = ProblemShape::Target::class_label;
  const Predicted soft("softmax_cross_entropy", labels, {1, 3, 3, -200});
  const double sum = std::exp(-2.0) + 2 + std::exp(-203.0);
  CHECK(soft.classes == std::vector<std::int32_t>{1, 1});
  CHECK(soft.values[0] == static_cast<float>(std::exp(-2.0) / sum));
  CHECK(soft.values[5] == static_cast<float>(1 / sum));
  CHECK(soft.values[7] == static_cast<float>(std::exp(-203.0) / sum));
  CHECK(Predicted("softmax_cross_entropy", labels, {1000, -1000}).values[0] == 1);  // does not overflow
  // Two sigmoids that both round to 1: the larger output still decides the class, as accuracy counts it.
  const Predicted own("sigmoid_cross_entropy", labels, {30, 40, 0});
  CHECK(own.classes == std::vector<std::int32_t>{1, 1});
  CHECK(own.values[0] == 1);
  CHECK(own.values[1] == 1);
  CHECK(own.values[2] == 0.5);
}

}  // namespace
}  // namespace lockstep

#include "model/model.h"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "gradient_check.h"
#include "model/hparams_sets.h"
#include "model/layers.h"
#include "model/picture_models.h"
#include "tensor/cpu/cpu_backend.h"

namespace lockstep {
namespace {

// A batch of float64 inputs with its memory.
struct SmallBatch {
  SmallBatch(std::int64_t samples, const ProblemShape& shape)
      : inputs(static_cast<std::size_t>(samples * shape.input.elements())),
        labels(static_cast<std::size_t>(samples)),
        targets(static_cast<std::size_t>(samples * shape.outputs)),
        weights(static_cast<std::size_t>(samples)),
        ids(static_cast<std::size_t>(samples)) {
    for (std::size_t i = 0; i < inputs.size(); ++i) inputs[i] = std::sin(static_cast<double>(3 * i + 1));
    for (std::size_t i = 0; i < targets.size(); ++i) targets[i] = std::cos(static_cast<float>(i));
    for (std::size_t i = 0; i < labels.size(); ++i) {
      labels[i] = static_cast<std::int32_t>(i) % static_cast<std::int32_t>(shape.outputs);
      weights[i] = i % 3 == 2 ? 0 : 0.5F + static_cast<float>(i % 2);
      ids[i] = static_cast<std::int64_t>(100 - i);
    }
    batch.inputs = Tensor(inputs.data(), DType::float64, shape.input.with_front(samples));
    batch.targets = shape.target == ProblemShape::Target::real
                        ? Tensor(targets.data(), DType::float32, {samples, shape.outputs})
                        : Tensor(labels.data(), DType::int32, {samples});
    batch.weights = Tensor(weights.data(), DType::float32, {samples});
    batch.sample_ids = Tensor(ids.data(), DType::int64, {samples});
  }

  std::vector<double> inputs;
  std::vector<std::int32_t> labels;
  std::vector<float> targets;
  std::vector<float> weights;
  std::vector<std::int64_t> ids;
  Batch batch;
};

HParams small_mlp(const std::string& activation) {
  HParams hparams = mlp_hparams();
  hparams.parse("hidden_size=7,num_hidden_layers=2,dropout=0.3,activation=" + activation);
  return hparams;
}

TEST_CASE("gradients of every variable, both losses, uneven weights") {
  for (auto target : {ProblemShape::Target::class_label, ProblemShape::Target::real}) {
    const ProblemShape shape{.input = {3, 3, 1}, .target = target, .outputs = 3};
    SmallBatch samples(5, shape);
    CHECK(gradient_error(*make_linear_model(linear_hparams(), shape), samples.batch) < 1e-7);
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
  const ParameterStore store(model->table(), allocator, DType::float64, 16);
  for (std::int64_t samples : {5, 0}) {
    SmallBatch small(samples, shape);
    std::vector<FlatRange> ranges;
    backend->fill(store.gradients(), 7);
    Pass pass{.backend = *backend,
              .parameters = store,
              .sample_ids = small.batch.sample_ids,
              .on_gradient_ready = [&](FlatRange range) { ranges.push_back(range); }};
    CHECK(model->forward(small.batch, pass).weight == (samples == 0 ? 0 : 0.5 + 1.5 + 0 + 1.5 + 0.5));
    model->backward(pass);
    std::int64_t mark = model->table().padded_count();
    for (const FlatRange& range : ranges) {
      CHECK(range.end == mark);
      mark = range.begin;
    }
    CHECK(mark == 0);
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
  const ParameterStore a(model->table(), allocator, DType::float32, 0);
  const ParameterStore b(model->table(), allocator, DType::float32, 16);
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
  CHECK_THROWS_WITH_AS(Model(make_linear(3, LinearInit::glorot_uniform), {.input = {4}, .outputs = 5}),
                       doctest::Contains("the model gives (3)"), Error);
  const ProblemShape shape{.input = {4}, .outputs = 5};
  HParams hparams = mlp_hparams();
  hparams.parse("hidden_size=0");
  CHECK_THROWS_WITH_AS(make_mlp_model(hparams, shape), doctest::Contains("hidden_size is 0"), Error);
  hparams = mlp_hparams();
  hparams.parse("activation=rely");
  CHECK_THROWS_WITH_AS(make_mlp_model(hparams, shape), doctest::Contains("did you mean 'relu'"), Error);
}

}  // namespace
}  // namespace lockstep

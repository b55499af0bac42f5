#include "train/strategy/replica.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "optim/optimizers.h"
#include "tensor/cpu/cpu_backend.h"

namespace lockstep {
namespace {

ParameterTable two_variables() {
  ParameterTable table;
  table.add("a/kernel", {3}, true);
  table.add("b/bias", {20}, false);
  return table;
}

struct Fixture {
  Fixture() { replica.own_all(); }

  std::string message_of(double loss, double weight) {
    try {
      replica.update(7, 0.1, {.loss = loss, .weight = weight}, Scope::every_rank);
    } catch (const Error& error) {
      CHECK(error.code() == ExitCode::internal);
      return error.what();
    }
    return "";
  }

  std::unique_ptr<Backend> backend = make_cpu_backend();
  std::unique_ptr<Optimizer> sgd = make_sgd({});
  ParameterTable table = two_variables();
  HostAllocator allocator;
  ParameterStore store{table, allocator, allocator, DType::float32};
  Replica replica{*backend, store, *sgd};
};

TEST_CASE("an update divides by the weight and returns the norm of the mean gradient") {
  Fixture f;
  f.backend->fill(f.store.gradient(0), 8);  // three elements of 8 / 4
  CHECK(f.replica.update(1, 0.5, {.loss = 1, .weight = 4}, Scope::every_rank).gradient_norm ==
        doctest::Approx(std::sqrt(12.0)));
  CHECK(f.store.value(0).as<float>()[2] == -1);
  CHECK(f.store.value(1).as<float>()[0] == 0);
}

TEST_CASE("a gradient beyond the clipping norm is scaled down to it, a smaller one is left alone") {
  Fixture f;
  Replica clipped(*f.backend, f.store, *f.sgd, 2);
  clipped.own_all();
  f.store.gradient(0).as<float>()[0] = 12;
  f.store.gradient(1).as<float>()[5] = 16;  // norm 20 of the sum, 5 of the mean
  CHECK(clipped.update(1, 1, {.loss = 1, .weight = 4}, Scope::every_rank).gradient_norm == doctest::Approx(5));
  CHECK(f.store.value(0).as<float>()[0] == doctest::Approx(-3.0 * 2 / 5));
  CHECK(f.store.value(1).as<float>()[5] == doctest::Approx(-4.0 * 2 / 5));

  f.backend->fill(f.store.values(), 0);
  f.backend->fill(f.store.gradients(), 0);
  f.store.gradient(0).as<float>()[0] = 8;
  CHECK(clipped.update(2, 1, {.loss = 1, .weight = 4}, Scope::every_rank).gradient_norm == doctest::Approx(2));
  CHECK(f.store.value(0).as<float>()[0] == -2);
}

TEST_CASE("constants of the model are no optimizer's") {
  Fixture f;
  ParameterTable table;
  table.add_constant("standardization/mean", {3});
  table.add("kernel", {4}, true);
  const ParameterStore store(table, f.allocator, f.allocator, DType::float32);
  Replica replica(*f.backend, store, *f.sgd);
  replica.own_all();
  f.backend->fill(store.gradients(), 1);
  replica.update(1, 1, {.loss = 1, .weight = 1}, Scope::every_rank);
  CHECK(store.value(0).as<float>()[2] == 0);
  CHECK(store.value(1).as<float>()[3] == -1);
}

TEST_CASE("what is not finite is named with its step") {
  Fixture f;
  CHECK(f.message_of(1, 4) == "");
  CHECK(f.message_of(NAN, 4).find("the loss at step 7 is not finite") == 0);
  f.store.gradient(1).as<float>()[19] = -std::numeric_limits<float>::infinity();
  CHECK(f.message_of(1, 4).find("the gradient of b/bias at step 7 is not finite") == 0);
}

TEST_CASE("a step that nobody has data for changes nothing") {
  Fixture f;
  f.backend->fill(f.store.gradients(), 1);
  CHECK(f.replica.update(1, 0.5, {}, Scope::every_rank).gradient_norm == 0);
  CHECK(f.store.value(0).as<float>()[0] == 0);
}

TEST_CASE("the norm is summed chunk by chunk: the same bits however many elements there are before and behind") {
  Fixture f;
  ParameterTable table;
  table.add("kernel", {2 * kSquaresChunk + 100}, true);
  const ParameterStore store(table, f.allocator, f.allocator, DType::float32);
  double expected = 0;
  for (std::int64_t begin = 0; begin < store.gradients().count(); begin += kSquaresChunk) {
    const FlatRange chunk{begin, std::min(begin + kSquaresChunk, store.gradients().count())};
    for (std::int64_t i = chunk.begin; i < chunk.end; ++i) {
      store.gradients().as<float>()[i] = 1.0F / static_cast<float>(i + 1);
    }
    double sum = 0;
    f.backend->sum_squares(store.gradients().flat(chunk), Tensor(&sum, DType::float64, {1}));
    expected += sum;
  }
  CHECK(GradientNorm(*f.backend, store, true).norm() == std::sqrt(expected));
}

}  // namespace
}  // namespace lockstep

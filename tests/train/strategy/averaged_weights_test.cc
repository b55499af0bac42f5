#include "train/strategy/averaged_weights.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "tensor/cpu/cpu_backend.h"

namespace lockstep {
namespace {

TEST_CASE("the average follows the weights with a decay that grows from 2 / 11 to the one asked for") {
  const auto backend = make_cpu_backend();
  HostAllocator allocator;
  ParameterTable table;
  table.add("a", {5}, true);
  const ParameterStore weights(table, allocator, allocator, DType::float32);
  AveragedWeights averaged(*backend, weights, 0.5);
  backend->fill(weights.values(), 3);
  averaged.start();
  CHECK(averaged.parameters().value(0).as<float>()[4] == 3);

  double expected = 3;
  for (int n = 1; n <= 40; ++n) {
    const double weight = 1.0 / n;
    backend->fill(weights.values(), weight);
    averaged.update();
    const double decay = std::min(0.5, (1.0 + n) / (10.0 + n));
    expected = decay * expected + (1 - decay) * weight;
    CHECK(averaged.parameters().value(0).as<float>()[4] == doctest::Approx(expected).epsilon(1e-6));
  }
  averaged.start();  // resets the average
  CHECK(averaged.parameters().value(0).as<float>()[0] == doctest::Approx(1.0 / 40));
}

}  // namespace
}  // namespace lockstep

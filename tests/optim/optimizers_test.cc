#include "optim/optimizers.h"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "tensor/cpu/cpu_backend.h"

namespace lockstep {
namespace {

HParams hparams_with(double momentum, double beta1, double beta2, double epsilon) {
  HParams hparams;
  hparams.set("optimizer_momentum_momentum", momentum);
  hparams.set("optimizer_adam_beta1", beta1);
  hparams.set("optimizer_adam_beta2", beta2);
  hparams.set("optimizer_adam_epsilon", epsilon);
  return hparams;
}

// A run of an optimizer on `count` values that start at 1 with the gradient of element i always i + 1.
template <class T>
std::vector<T> run(const Optimizer& optimizer, int steps, double rate, std::int64_t count, std::int64_t cut) {
  const auto backend = make_cpu_backend();
  std::vector<T> values(static_cast<std::size_t>(count), T{1});
  std::vector<T> gradients(values.size());
  for (std::size_t i = 0; i < gradients.size(); ++i) gradients[i] = static_cast<T>(i + 1);
  std::vector<std::vector<T>> slots(optimizer.slots().size(), std::vector<T>(values.size()));
  const auto part = [](std::vector<T>& data, FlatRange range) {
    return Tensor(data.data(), dtype_of<T>(), {static_cast<std::int64_t>(data.size())}).flat(range);
  };
  for (int step = 1; step <= steps; ++step) {
    for (const FlatRange range : {FlatRange{0, cut}, FlatRange{cut, count}}) {
      std::vector<Tensor> slot_parts;
      for (auto& slot : slots) slot_parts.push_back(part(slot, range));
      optimizer.apply(*backend, part(values, range), part(gradients, range), slot_parts,
                      {.learning_rate = rate, .number = step});
    }
  }
  return values;
}

TEST_CASE("SGD moves by rate times gradient") {
  const auto values = run<double>(*make_sgd({}), 10, 0.01, 7, 0);
  for (std::size_t i = 0; i < 7; ++i) CHECK(values[i] == doctest::Approx(1 - 0.1 * static_cast<double>(i + 1)));
}

TEST_CASE("momentum: a constant gradient g gives velocity g (1 - mu^t) / (1 - mu)") {
  const double mu = 0.9;
  const auto values = run<double>(*make_momentum(hparams_with(mu, 0, 0, 0)), 5, 0.01, 7, 0);
  double travelled = 0;
  for (int t = 1; t <= 5; ++t) travelled += (1 - std::pow(mu, t)) / (1 - mu);
  for (std::size_t i = 0; i < 7; ++i) {
    CHECK(values[i] == doctest::Approx(1 - 0.01 * static_cast<double>(i + 1) * travelled));
  }
}

// With a constant gradient g both corrected moments are g and g^2, so each step is rate * g / (|g| + epsilon'), where
// epsilon' = epsilon / sqrt(1 - beta2^t).
TEST_CASE("Adam on a constant gradient") {
  const double beta2 = 0.999;
  const double epsilon = 1e-3;
  const auto values = run<double>(*make_adam(hparams_with(0, 0.9, beta2, epsilon)), 4, 0.1, 5, 0);
  for (std::size_t i = 0; i < 5; ++i) {
    const auto g = static_cast<double>(i + 1);
    double expected = 1;
    for (int t = 1; t <= 4; ++t) expected -= 0.1 * g / (g + epsilon / std::sqrt(1 - std::pow(beta2, t)));
    CHECK(values[i] == doctest::Approx(expected).epsilon(1e-12));
  }
}

TEST_CASE("float32 follows float64, and a sliceable optimizer gives the same bits in pieces") {
  const HParams hparams = hparams_with(0.9, 0.9, 0.98, 1e-8);
  for (const auto& optimizer : {make_sgd(hparams), make_momentum(hparams), make_adam(hparams)}) {
    REQUIRE(optimizer->sliceable());
    const auto whole = run<float>(*optimizer, 6, 0.01, 101, 0);
    const auto reference = run<double>(*optimizer, 6, 0.01, 101, 0);
    for (std::size_t i = 0; i < whole.size(); ++i) {
      CHECK(static_cast<double>(whole[i]) == doctest::Approx(reference[i]).epsilon(1e-4));
    }
    for (std::int64_t cut : {1, 16, 50, 101}) CHECK(run<float>(*optimizer, 6, 0.01, 101, cut) == whole);
  }
}

TEST_CASE("hparams out of range are refused by name") {
  CHECK_THROWS_WITH_AS(make_momentum(hparams_with(1, 0, 0, 0)), doctest::Contains("optimizer_momentum_momentum is 1"),
                       Error);
  CHECK_THROWS_WITH_AS(make_adam(hparams_with(0, -0.1, 0, 1e-8)), doctest::Contains("optimizer_adam_beta1"), Error);
  CHECK_THROWS_WITH_AS(make_adam(hparams_with(0, 0.9, NAN, 1e-8)), doctest::Contains("optimizer_adam_beta2"), Error);
  CHECK_THROWS_WITH_AS(make_adam(hparams_with(0, 0.9, 0.9, 0)), doctest::Contains("optimizer_adam_epsilon is 0"),
                       Error);
}

}  // namespace
}  // namespace lockstep

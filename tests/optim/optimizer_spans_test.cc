#include <doctest/doctest.h>

#include <cmath>

#include "optim/optimizer_run.h"

// The result does not depend on where a span begins, how long it is and how it is cut.
namespace lockstep {
namespace {

constexpr int kSteps = 4;

double start(std::int64_t i) { return static_cast<double>(i * 7919 % 1009 - 504) / 256; }
double gradient(std::int64_t i, std::int64_t t) {
  return static_cast<double>((i * 104729 + t * 31) % 2003 - 1001) / 512;
}

template <class T>
std::vector<T> run(const Optimizer& optimizer, std::int64_t count, std::int64_t offset, std::int64_t cut) {
  std::vector<T> values(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) values[static_cast<std::size_t>(i)] = static_cast<T>(start(i));
  OptimizerRun<T> steps(optimizer, std::move(values), offset);
  for (int t = 1; t <= kSteps; ++t) {
    steps.step([t](std::int64_t i) { return gradient(i, t); }, {.learning_rate = 0.03125, .number = t}, cut);
  }
  return steps.values();
}

TEST_CASE("float32 follows float64, whatever the length and wherever a span begins") {
  for (const auto& [name, make] : all_optimizers()) {
    CAPTURE(name);
    const auto optimizer = make(optimizer_hparams(0.125));
    for (std::int64_t count : {1, 3, 17, 1037, 1000003}) {
      CAPTURE(count);
      const auto reference = run<double>(*optimizer, count, 0, 0);
      const auto values = run<float>(*optimizer, count, 0, 0);
      double worst = 0;
      for (std::size_t i = 0; i < values.size(); ++i) {
        worst = std::max(worst, std::abs(static_cast<double>(values[i]) - reference[i]));
      }
      CHECK(worst < 2e-6);
      const std::int64_t offset = count % 7 + 1;
      CHECK((run<float>(*optimizer, count, offset, 0) == values));
      CHECK((run<double>(*optimizer, count, offset, 0) == reference));
    }
  }
}

TEST_CASE("a sliceable optimizer gives the same bits in pieces") {
  for (const auto& [name, make] : all_optimizers()) {
    const auto optimizer = make(optimizer_hparams(0.125));
    if (!optimizer->sliceable()) continue;
    CAPTURE(name);
    const auto whole = run<float>(*optimizer, 1037, 0, 0);
    const auto whole_64 = run<double>(*optimizer, 1037, 0, 0);
    for (std::int64_t cut = 1; cut < 1037; cut += cut < 70 ? 1 : 37) {
      CAPTURE(cut);
      CHECK((run<float>(*optimizer, 1037, 0, cut) == whole));
      CHECK((run<double>(*optimizer, 1037, 3, cut) == whole_64));
    }
  }
}

TEST_CASE("a layer-wise optimizer is not the same in pieces: spans have to be whole variables") {
  for (auto make : {make_lamb, make_lars, make_adafactor}) {
    const auto optimizer = make(optimizer_hparams());
    CHECK((run<double>(*optimizer, 40, 0, 7) != run<double>(*optimizer, 40, 0, 0)));
  }
}

TEST_CASE("spans of unlike lengths, and too few slots, are refused") {
  const auto backend = make_cpu_backend();
  std::vector<float> data(8);
  const Tensor long_one(data.data(), DType::float32, {8});
  const Tensor short_one(data.data(), DType::float32, {7});
  CHECK_THROWS_AS(backend->update({.formula = AdamStep{}}, long_one, long_one, std::vector{short_one, long_one}),
                  Error);
  CHECK_THROWS_AS(backend->update({.formula = LarsStep{}}, long_one, short_one, std::vector{long_one}), Error);
  CHECK_THROWS_AS(backend->update({.formula = LarsStep{}}, long_one, long_one, {}), Error);
}

}  // namespace
}  // namespace lockstep

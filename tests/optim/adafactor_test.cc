#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "optim/optimizer_run.h"

// Compares variables of all shapes with the paper's formulas in double precision, with the whole matrix v.
namespace lockstep {
namespace {

constexpr int kSteps = 4;
constexpr double kRate = 0.03125;

double start(std::int64_t i) { return static_cast<double>(i * 7919 % 1009 - 504) / 256; }
double gradient(std::int64_t i, std::int64_t t) {
  return static_cast<double>((i * 104729 + t * 31) % 2003 - 1001) / 512;
}

struct Settings {
  double memory_exponent = 0.8;
  double clipping = 1;
  double weight_decay = 0;
  bool relative = true;
};

double rms(const std::vector<double>& values) {
  double sum = 0;
  for (double value : values) sum += value * value;
  return std::sqrt(sum / static_cast<double>(values.size()));
}

// Shazeer and Stern 2018: R and C of algorithm 2 for each matrix, updates clipped and rates relative as in algorithm 4.
class Reference {
 public:
  Reference(const Shape& shape, const Settings& settings)
      : settings_(settings), rows_(shape[shape.rank() - 2]), columns_(shape[shape.rank() - 1]) {
    values.resize(static_cast<std::size_t>(shape.elements()));
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = start(static_cast<std::int64_t>(i));
    row_sums_.resize(values.size());
    column_sums_.resize(values.size());
  }

  void step(int t) {
    const double decay = 1 - std::pow(t, -settings_.memory_exponent);
    std::vector<double> u(values.size());
    const std::int64_t size = rows_ * columns_;
    for (std::size_t k = 0; k < values.size(); ++k) {
      const auto at = static_cast<std::int64_t>(k);
      const std::int64_t first = at / size * size;
      const std::int64_t row = (at - first) / columns_;
      const std::int64_t column = (at - first) % columns_;
      double of_row = 0;
      double of_column = 0;
      for (std::int64_t j = 0; j < columns_; ++j) of_row += square(first + row * columns_ + j, t);
      for (std::int64_t i = 0; i < rows_; ++i) of_column += square(first + i * columns_ + column, t);
      row_sums_[k] = decay * row_sums_[k] + (1 - decay) * of_row;
      column_sums_[k] = decay * column_sums_[k] + (1 - decay) * of_column;
    }
    for (std::size_t k = 0; k < values.size(); ++k) {
      const auto at = static_cast<std::int64_t>(k);
      const std::int64_t first = at / size * size;
      double all = 0;
      for (std::int64_t i = 0; i < rows_; ++i) all += row_sums_[static_cast<std::size_t>(first + i * columns_)];
      u[k] = gradient(at, t) / std::sqrt(row_sums_[k] * column_sums_[k] / all);
    }
    const double length = settings_.clipping > 0 ? std::max(1.0, rms(u) / settings_.clipping) : 1;
    const double scale = settings_.relative ? std::max(1e-3, rms(values)) : 1;
    for (std::size_t k = 0; k < values.size(); ++k) {
      values[k] -= kRate * (scale * u[k] / length + settings_.weight_decay * values[k]);
    }
  }

  std::vector<double> values;

 private:
  static double square(std::int64_t at, int t) { return gradient(at, t) * gradient(at, t) + 1e-30; }

  Settings settings_;
  std::int64_t rows_;
  std::int64_t columns_;
  std::vector<double> row_sums_;     // of each value's row
  std::vector<double> column_sums_;  // of each value's column
};

HParams adafactor_hparams_of(const Settings& settings) {
  return adafactor_hparams()
      .set("weight_decay", settings.weight_decay)
      .set("optimizer_adafactor_memory_exponent", settings.memory_exponent)
      .set("optimizer_adafactor_clipping_threshold", settings.clipping)
      .set("optimizer_adafactor_multiply_by_parameter_scale", settings.relative);
}

template <class T>
double largest_error(const Shape& shape, const Settings& settings) {
  Reference reference(shape, settings);
  const auto optimizer = make_adafactor(adafactor_hparams_of(settings));
  OptimizerRun<T> run(*optimizer, {reference.values.begin(), reference.values.end()}, 3);
  for (int t = 1; t <= kSteps; ++t) {
    reference.step(t);
    run.step([t](std::int64_t i) { return gradient(i, t); }, {.learning_rate = kRate, .number = t, .shape = shape});
  }
  const std::vector<T> values = run.values();
  double largest = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    largest = std::max(largest, std::abs(static_cast<double>(values[i]) - reference.values[i]));
  }
  return largest;
}

TEST_CASE("Adafactor: matrices, rows of them, and single rows and columns follow the paper") {
  for (const Shape& shape : {Shape{3, 5}, Shape{2, 2}, Shape{1, 7}, Shape{7, 1}, Shape{1, 1}, Shape{2, 3, 4, 5},
                             Shape{5, 700}, Shape{700, 5}, Shape{4, 1, 3}}) {
    CAPTURE(shape.text());
    for (const Settings& settings : {Settings{}, Settings{.clipping = 0.25, .weight_decay = 0.125},
                                     Settings{.clipping = 0}, Settings{.memory_exponent = 0.5, .relative = false}}) {
      CHECK(largest_error<double>(shape, settings) < 1e-13);
      CHECK(largest_error<float>(shape, settings) < 2e-6);
    }
  }
}

// The first step's means are those of the gradient alone: for a gradient of a column times a row, u is its sign.
TEST_CASE("Adafactor: the first step of a gradient of rank one is its sign times the variable's size") {
  const auto optimizer = make_adafactor(adafactor_hparams());
  OptimizerRun<double> run(*optimizer, {3, -3, 3, 3, -3, 3});
  run.step([](std::int64_t i) { return (i < 3 ? 1.0 : -5.0) * static_cast<double>(i % 3 + 1); },
           {.learning_rate = kRate, .shape = {2, 3}});
  const double step = kRate * 3;
  const double expected[] = {3 - step, -3 - step, 3 - step, 3 + step, -3 + step, 3 + step};
  for (std::size_t i = 0; i < 6; ++i) CHECK(run.values()[i] == doctest::Approx(expected[i]).epsilon(1e-14));
}

TEST_CASE("Adafactor: a variable of zeros moves, and one without gradients stays") {
  const auto optimizer = make_adafactor(adafactor_hparams());
  OptimizerRun<float> zeros(*optimizer, {0, 0, 0, 0});
  zeros.step([](std::int64_t) { return 2.0; }, {.learning_rate = kRate, .shape = {2, 2}});
  for (float value : zeros.values()) CHECK(value == doctest::Approx(-kRate * 1e-3));
  OptimizerRun<float> still(*optimizer, {1, 2, 3, 4});
  still.step([](std::int64_t) { return 0.0; }, {.learning_rate = kRate, .shape = {2, 2}});
  CHECK((still.values() == std::vector<float>{1, 2, 3, 4}));
}

TEST_CASE("Adafactor: a part of a matrix is refused") {
  const auto backend = make_cpu_backend();
  std::vector<float> data(7);
  const Tensor part(data.data(), DType::float32, {7});
  const UpdateStep step{.formula = AdafactorStep{.rows = 2, .columns = 4}};
  CHECK_THROWS_AS(backend->update(step, part, part, std::vector{part}), Error);
}

}  // namespace
}  // namespace lockstep

#include <algorithm>
#include <array>
#include <cmath>

#include "base/multiversion.h"
#include "tensor/cpu/norm_chunks.h"
#include "tensor/cpu/scaled_gradient.h"
#include "tensor/cpu/square_sum.h"
#include "tensor/cpu/updates.h"

// Adafactor, by the formulas of tensor/update_steps.h. Three passes over the gradients: for the means, for the length
// of the step, for the step. Each takes a matrix in blocks of neighbouring columns, row after row, so that what belongs
// to the columns lies on the stack.
namespace lockstep::cpu {
namespace {

constexpr std::int64_t kColumns = 512;  // columns of a block: its arrays fit the first-level cache

template <class T>
struct AdafactorNumbers {
  AdafactorNumbers(const AdafactorStep& step, double factor)
      : scaled(factor),
        decay(static_cast<T>(step.decay)),
        fresh(static_cast<T>(1 - step.decay)),
        epsilon(static_cast<T>(step.square_epsilon)) {}

  ScaledGradient<T> scaled;
  T decay;
  T fresh;
  T epsilon;
};

// u of a row's block: the gradients over the root of their v.
template <class T>
struct Direction {
  LS_INLINE void of_row(const T* __restrict gradients, const ScaledGradient<T>& scaled, T row_factor,
                        const T* __restrict column_factors, std::int64_t count) {
    for (std::int64_t j = 0; j < count; ++j) u[j] = scaled(gradients[j]) * row_factor * column_factors[j];
  }
  LS_INLINE void of_values(const T* __restrict gradients, const ScaledGradient<T>& scaled, const T* __restrict v,
                           std::int64_t count) {
    for (std::int64_t j = 0; j < count; ++j) u[j] = scaled(gradients[j]) / std::sqrt(v[j]);
  }
  LS_INLINE void step(T* __restrict values, T rate, T shrink, std::int64_t count) const {
    for (std::int64_t j = 0; j < count; ++j) values[j] -= rate * u[j] + shrink * values[j];
  }
  T u[kColumns];  // NOLINT(*-avoid-c-arrays): a loop over it vectorises without index conversions
};

// One matrix and its means.
template <class T>
struct FactoredMatrix {
  const T* gradients;
  T* row_means;
  T* column_means;
  std::int64_t rows;
  std::int64_t columns;

  LS_INLINE void update_means(const AdafactorNumbers<T>& c) const {
    for (std::int64_t i = 0; i < rows; ++i) row_means[i] *= c.decay;
    for (std::int64_t begin = 0; begin < columns; begin += kColumns) update_block(c, begin);
  }

  // Adds these columns to the means of rows, and completes the means of the columns.
  LS_INLINE void update_block(const AdafactorNumbers<T>& c, std::int64_t begin) const {
    const std::int64_t count = std::min(kColumns, columns - begin);
    std::array<double, kColumns> sums{};
    double* column = sums.data();
    const double row_weight = static_cast<double>(c.fresh) / static_cast<double>(columns);
    for (std::int64_t i = 0; i < rows; ++i) {
      const T* g = gradients + i * columns + begin;
      std::array<T, kColumns> squares;  // NOLINT(cppcoreguidelines-pro-type-member-init): written before it is read
      T* square = squares.data();
      for (std::int64_t j = 0; j < count; ++j) square[j] = c.scaled(g[j]) * c.scaled(g[j]) + c.epsilon;
      for (std::int64_t j = 0; j < count; ++j) column[j] += static_cast<double>(square[j]);
      row_means[i] += static_cast<T>(row_weight * sum_of(square, count));
    }
    const double column_weight = static_cast<double>(c.fresh) / static_cast<double>(rows);
    T* means = column_means + begin;
    for (std::int64_t j = 0; j < count; ++j) means[j] = c.decay * means[j] + static_cast<T>(column_weight * column[j]);
  }

  LS_INLINE double mean_of_rows() const { return sum_of(row_means, rows) / static_cast<double>(rows); }
  LS_INLINE T row_factor(std::int64_t i, double mean) const {
    return static_cast<T>(1 / std::sqrt(static_cast<double>(row_means[i]) / mean));
  }
  LS_INLINE void column_factors(std::int64_t begin, std::int64_t count, T* factors) const {
    for (std::int64_t j = 0; j < count; ++j) factors[j] = 1 / std::sqrt(column_means[begin + j]);
  }
};

// The sum of u^2 of a matrix.
template <class T>
LS_INLINE void add_squares(const FactoredMatrix<T>& matrix, const AdafactorNumbers<T>& c, SquareSum& squares) {
  const double mean = matrix.mean_of_rows();
  std::array<T, kColumns> factors;  // NOLINT(cppcoreguidelines-pro-type-member-init): written before it is read
  Direction<T> direction;           // NOLINT(cppcoreguidelines-pro-type-member-init): written before it is read
  for (std::int64_t begin = 0; begin < matrix.columns; begin += kColumns) {
    const std::int64_t count = std::min(kColumns, matrix.columns - begin);
    matrix.column_factors(begin, count, factors.data());
    for (std::int64_t i = 0; i < matrix.rows; ++i) {
      direction.of_row(matrix.gradients + i * matrix.columns + begin, c.scaled, matrix.row_factor(i, mean),
                       factors.data(), count);
      squares.add(direction.u, count);
    }
  }
}

template <class T>
LS_INLINE void move_matrix(T* values, const FactoredMatrix<T>& matrix, const AdafactorNumbers<T>& c, T rate, T shrink) {
  const double mean = matrix.mean_of_rows();
  std::array<T, kColumns> factors;  // NOLINT(cppcoreguidelines-pro-type-member-init): written before it is read
  Direction<T> direction;           // NOLINT(cppcoreguidelines-pro-type-member-init): written before it is read
  for (std::int64_t begin = 0; begin < matrix.columns; begin += kColumns) {
    const std::int64_t count = std::min(kColumns, matrix.columns - begin);
    matrix.column_factors(begin, count, factors.data());
    for (std::int64_t i = 0; i < matrix.rows; ++i) {
      const std::int64_t at = i * matrix.columns + begin;
      direction.of_row(matrix.gradients + at, c.scaled, matrix.row_factor(i, mean), factors.data(), count);
      direction.step(values + at, rate, shrink, count);
    }
  }
}

// The factor of u, once its length is known.
LS_INLINE double rate_of(const AdafactorStep& step, const SquareSum& directions, const SquareSum& values,
                         std::int64_t count) {
  const double root = std::sqrt(static_cast<double>(count));
  const double scale = step.relative ? std::max(step.least_scale, values.norm() / root) : 1;
  const double excess = step.clipping > 0 ? directions.norm() / root / step.clipping : 0;
  return step.rate * scale / std::max(1.0, excess);
}

template <class T>
LS_INLINE void factored(T* values, const T* gradients, T* v, const AdafactorStep& step, double factor,
                        std::int64_t count) {
  const AdafactorNumbers<T> c(step, factor);
  const std::int64_t size = step.rows * step.columns;
  SquareSum value_squares;
  SquareSum direction_squares;
  value_squares.add(values, count);
  for (std::int64_t at = 0; at < count; at += size) {
    const FactoredMatrix<T> matrix{gradients + at, v + at, v + at + step.rows, step.rows, step.columns};
    matrix.update_means(c);
    add_squares(matrix, c, direction_squares);
  }
  const auto rate = static_cast<T>(rate_of(step, direction_squares, value_squares, count));
  const auto shrink = static_cast<T>(step.rate * step.weight_decay);
  for (std::int64_t at = 0; at < count; at += size) {
    const FactoredMatrix<T> matrix{gradients + at, v + at, v + at + step.rows, step.rows, step.columns};
    move_matrix(values + at, matrix, c, rate, shrink);
  }
}

template <class T>
LS_INLINE void element_wise(T* values, const T* gradients, T* v, const AdafactorStep& step, double factor,
                            std::int64_t count) {
  const AdafactorNumbers<T> c(step, factor);
  SquareSum value_squares;
  SquareSum direction_squares;
  value_squares.add(values, count);
  Direction<T> direction;  // NOLINT(cppcoreguidelines-pro-type-member-init): written before it is read
  for (std::int64_t begin = 0; begin < count; begin += kColumns) {
    const std::int64_t length = std::min(kColumns, count - begin);
    const T* g = gradients + begin;
    T* means = v + begin;
    for (std::int64_t j = 0; j < length; ++j) {
      means[j] = c.decay * means[j] + c.fresh * (c.scaled(g[j]) * c.scaled(g[j]) + c.epsilon);
    }
    direction.of_values(g, c.scaled, means, length);
    direction_squares.add(direction.u, length);
  }
  const auto rate = static_cast<T>(rate_of(step, direction_squares, value_squares, count));
  const auto shrink = static_cast<T>(step.rate * step.weight_decay);
  for (std::int64_t begin = 0; begin < count; begin += kColumns) {
    const std::int64_t length = std::min(kColumns, count - begin);
    direction.of_values(gradients + begin, c.scaled, v + begin, length);
    direction.step(values + begin, rate, shrink, length);
  }
}

template <class T>
LS_INLINE void adafactor(T* values, const T* gradients, T* v, const AdafactorStep& step, double factor,
                         std::int64_t count) {
  if (step.rows > 1 && step.columns > 1) {
    factored(values, gradients, v, step, factor, count);
  } else {
    element_wise(values, gradients, v, step, factor, count);
  }
}

}  // namespace

LS_MULTIVERSION void update_by(const AdafactorStep& step, double factor, const UpdateSpans<float>& s) {
  adafactor(s.values, s.gradients, s.slots[0], step, factor, s.count);
}
void update_by(const AdafactorStep& step, double factor, const UpdateSpans<double>& s) {
  adafactor(s.values, s.gradients, s.slots[0], step, factor, s.count);
}

}  // namespace lockstep::cpu

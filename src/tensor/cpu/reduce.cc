#include <algorithm>
#include <array>

#include "base/multiversion.h"
#include "tensor/cpu/kernels.h"
#include "tensor/half_types.h"

namespace lockstep::cpu {
namespace {

LS_INLINE float added(float value) { return value; }
LS_INLINE double added(double value) { return value; }
LS_INLINE float added(BFloat16 value) { return widened(value); }

// Rows are added one after the other, so sums do not depend on how wide a vector is; four of them while a sum is in a
// register.
template <class T, class Sum>
LS_INLINE void sum_rows_any(const T* matrix, Sum* sums, std::int64_t rows, std::int64_t columns) {
  std::fill(sums, sums + columns, Sum{0});
  std::int64_t i = 0;
  for (; i + 4 <= rows; i += 4) {
    const T* const row = matrix + i * columns;
    LS_INDEPENDENT_LOOP
    for (std::int64_t j = 0; j < columns; ++j) {
      sums[j] = (((sums[j] + added(row[j])) + added(row[columns + j])) + added(row[2 * columns + j])) +
                added(row[3 * columns + j]);
    }
  }
  for (; i < rows; ++i) {
    for (std::int64_t j = 0; j < columns; ++j) sums[j] += added(matrix[i * columns + j]);
  }
}

// kLanes partial sums in double precision: a fixed order that vectorises without reordering by the compiler. The square
// of a finite float is a finite double, so the sum is finite exactly if all values are.
template <class T>
LS_INLINE double sum_squares_of(const T* values, std::int64_t count) {
  constexpr std::int64_t kLanes = 16;
  std::array<double, kLanes> lanes{};
  std::int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    for (std::int64_t j = 0; j < kLanes; ++j) {
      lanes[static_cast<std::size_t>(j)] += static_cast<double>(values[i + j]) * static_cast<double>(values[i + j]);
    }
  }
  for (; i < count; ++i) lanes[0] += static_cast<double>(values[i]) * static_cast<double>(values[i]);
  double sum = 0;
  for (double lane : lanes) sum += lane;
  return sum;
}

template <class T>
LS_INLINE void sum_squares_any(const T* values, double* sums, std::int64_t count) {
  for (std::int64_t begin = 0; begin < count; begin += kSquaresChunk) {
    *sums++ = sum_squares_of(values + begin, std::min(kSquaresChunk, count - begin));
  }
}

template <class T>
void repeat_row_any(const T* row, T* matrix, std::int64_t rows, std::int64_t columns) {
  for (std::int64_t i = 0; i < rows; ++i) std::copy(row, row + columns, matrix + i * columns);
}

}  // namespace

void repeat_row(const float* row, float* matrix, std::int64_t rows, std::int64_t columns) {
  repeat_row_any(row, matrix, rows, columns);
}
void repeat_row(const double* row, double* matrix, std::int64_t rows, std::int64_t columns) {
  repeat_row_any(row, matrix, rows, columns);
}

LS_MULTIVERSION void sum_rows(const float* matrix, float* sums, std::int64_t rows, std::int64_t columns) {
  sum_rows_any(matrix, sums, rows, columns);
}
LS_MULTIVERSION void sum_rows(const BFloat16* matrix, float* sums, std::int64_t rows, std::int64_t columns) {
  sum_rows_any(matrix, sums, rows, columns);
}
void sum_rows(const double* matrix, double* sums, std::int64_t rows, std::int64_t columns) {
  sum_rows_any(matrix, sums, rows, columns);
}

LS_MULTIVERSION void sum_squares(const float* values, double* sums, std::int64_t count) {
  sum_squares_any(values, sums, count);
}
void sum_squares(const double* values, double* sums, std::int64_t count) { sum_squares_any(values, sums, count); }

}  // namespace lockstep::cpu

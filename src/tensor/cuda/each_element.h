#pragma once

#include <cstdint>

#include <device_code.h>
#include "tensor/cuda/block_reduction.h"

// Kernels that compute each element of a result from the elements at the same place. The computation is an operation: a
// plain struct of pointers and numbers that has
//   Operands load(i)         reads all that element i takes
//   store(i, operands)       computes and writes it
// and may have
//   begin()                  called by each thread first; false: there is nothing to do
// The two are apart so that a thread can read for several elements before it writes the first one: memory reaches its
// full bandwidth only with many reads under way, and the compiler moves no read before a write, which might be of the
// same place. So results may lie where operands of the same element do.
namespace lockstep {

inline constexpr int kTogether = 4;  // elements that a thread reads for at once

// Does the calling thread's part. Kernels that add up values call it with an operation that has the sums. Elements come
// in the order of their numbers.
template <class Operation>
__device__ void each_element(Operation& operation, std::int64_t count) {
  const std::int64_t stride = index_stride();
  std::int64_t i = first_index();
  for (; i + (kTogether - 1) * stride < count; i += kTogether * stride) {
    decltype(operation.load(i)) operands[kTogether];
    for (int k = 0; k < kTogether; ++k) operands[k] = operation.load(i + k * stride);
    for (int k = 0; k < kTogether; ++k) operation.store(i + k * stride, operands[k]);
  }
  for (; i < count; i += stride) operation.store(i, operation.load(i));
}

// The grid of an each_element over `count` elements.
inline Grid grid_of_each(std::int64_t count) { return grid_of((count + kTogether - 1) / kTogether); }

template <class Operation>
__global__ void each_element_kernel(Operation operation, std::int64_t count) {
  if constexpr (requires { operation.begin(); }) {
    if (!operation.begin()) return;
  }
  each_element(operation, count);
}

template <class Operation>
void launch_each(GpuStream stream, const Operation& operation, std::int64_t count) {
  launch(stream, grid_of_each(count), &each_element_kernel<Operation>, operation, count);
}

// An operation on a matrix, load(row, column) and store(row, column, operands), for each_element. It keeps the place of
// the next element, since a division for each one would take longer than all else.
template <class Operation>
class InRows {
 public:
  __device__ InRows(const Operation& of_places, std::int64_t columns)
      : operation(of_places),
        columns_(columns),
        row_(first_index() / columns),
        column_(first_index() % columns),
        row_step_(index_stride() / columns),
        column_step_(index_stride() % columns) {}

  __device__ auto load(std::int64_t /*i*/) {
    const Place<decltype(operation.load(row_, column_))> place{row_, column_, operation.load(row_, column_)};
    row_ += row_step_;
    column_ += column_step_;
    if (column_ >= columns_) {
      column_ -= columns_;
      ++row_;
    }
    return place;
  }
  template <class Place>
  __device__ void store(std::int64_t /*i*/, const Place& place) {
    operation.store(place.row, place.column, place.operands);
  }

  Operation operation;

 private:
  template <class Operands>
  struct Place {
    std::int64_t row;
    std::int64_t column;
    Operands operands;
  };

  std::int64_t columns_;
  std::int64_t row_;
  std::int64_t column_;
  std::int64_t row_step_;
  std::int64_t column_step_;
};

template <class Operation>
__global__ void each_in_rows_kernel(Operation operation, std::int64_t columns, std::int64_t count) {
  InRows<Operation> in_rows(operation, columns);
  each_element(in_rows, count);
}

// Launches an operation on a matrix (rows, columns) whose elements lie anywhere.
template <class Operation>
void launch_each_in_rows(GpuStream stream, const Operation& operation, std::int64_t rows, std::int64_t columns) {
  const std::int64_t count = rows * columns;
  launch(stream, grid_of_each(count), &each_in_rows_kernel<Operation>, operation, columns, count);
}

}  // namespace lockstep

#pragma once

#include <cstdint>

#include "base/random.h"
#include "tensor/backend.h"

// The CPU's loops, on raw pointers: CpuBackend checks shapes and types, these compute. Each exists for float
// (vectorised) and double (the reference of the gradient checks). Counts are elements; matrices are row-major.
namespace lockstep::cpu {

// product_onednn.cc: c (m, n) = op(a) (m, k) * op(b) (k, n) + beta * c
void product(const float* a, Transpose a_op, const float* b, Transpose b_op, float* c, std::int64_t m, std::int64_t n,
             std::int64_t k, float beta);
void product(const double* a, Transpose a_op, const double* b, Transpose b_op, double* c, std::int64_t m,
             std::int64_t n, std::int64_t k, double beta);
// Lets oneDNN generate the code of its float32 products while there is memory for it: oneDNN does not check whether it
// gets any, and would end the process with SIGSEGV in the middle of a run.
void prepare_products();

// conversions.cc. The arrays do not overlap.
void convert(const float* from, BFloat16* to, std::int64_t count);
void convert(const float* from, Float16* to, std::int64_t count);
void convert(const BFloat16* from, float* to, std::int64_t count);
void convert(const Float16* from, float* to, std::int64_t count);

// elementwise.cc
void add(const float* from, float* to, std::int64_t count);
void add(const double* from, double* to, std::int64_t count);
void add(const float* a, const float* b, float* sum, std::int64_t count);
void add(const double* a, const double* b, double* sum, std::int64_t count);
void scale(float* values, double factor, std::int64_t count);
void scale(double* values, double factor, std::int64_t count);
void activate(Activation activation, const float* x, float* y, std::int64_t count);
void activate(Activation activation, const float* x, BFloat16* y, std::int64_t count);
void activate(Activation activation, const double* x, double* y, std::int64_t count);
// y is read for tanh and sigmoid only, x for the others.
void activate_backward(Activation activation, const float* x, const float* y, const float* dy, float* dx,
                       std::int64_t count);
void activate_backward(Activation activation, const float* x, const float* y, const float* dy, BFloat16* dx,
                       std::int64_t count);
void activate_backward(Activation activation, const double* x, const double* y, const double* dy, double* dx,
                       std::int64_t count);

// dropout.cc: one row, y[i] = x[i] * keep_scale if word i of the stream is not below threshold, else 0.
void dropout_row(const RandomStream& stream, std::uint32_t threshold, double keep_scale, const float* x, float* y,
                 std::int64_t count);
void dropout_row(const RandomStream& stream, std::uint32_t threshold, double keep_scale, const double* x, double* y,
                 std::int64_t count);

// reduce.cc
void repeat_row(const float* row, float* matrix, std::int64_t rows, std::int64_t columns);
void repeat_row(const double* row, double* matrix, std::int64_t rows, std::int64_t columns);
void sum_rows(const float* matrix, float* sums, std::int64_t rows, std::int64_t columns);
void sum_rows(const BFloat16* matrix, float* sums, std::int64_t rows, std::int64_t columns);
void sum_rows(const double* matrix, double* sums, std::int64_t rows, std::int64_t columns);
void sum_squares(const float* values, double* sums, std::int64_t count);
void sum_squares(const double* values, double* sums, std::int64_t count);

}  // namespace lockstep::cpu

#pragma once

#include <cstdint>

#include "tensor/cpu/generation.h"
#include "tensor/half_types.h"

// Norms over the channels of rows (rows, channels), as Backend::normalize says with P = G = 1. A row at a time, which
// stays in the first-level cache from its sums to its results: memory is read and written once, in order. The bits of a
// row's results do not depend on the other rows, and gradients of scale and shift are summed over the rows in order.
namespace lockstep::cpu {

// mean, inverse_stddev (rows). A bfloat16 y is rounded from the result of float. `generation` is for tests. REQUIRES: a
// processor of that generation. y may be x.
void layer_norm(std::int64_t rows, std::int64_t channels, double epsilon, const float* x, const float* scale,
                const float* shift, float* y, float* mean, float* inverse_stddev,
                Generation generation = newest_generation());
void layer_norm(std::int64_t rows, std::int64_t channels, double epsilon, const float* x, const float* scale,
                const float* shift, BFloat16* y, float* mean, float* inverse_stddev,
                Generation generation = newest_generation());
// dx may be dy, or null: not wanted.
void layer_norm_backward(std::int64_t rows, std::int64_t channels, const float* x, const float* scale,
                         const float* mean, const float* inverse_stddev, const float* dy, float* dx, float* dscale,
                         float* dshift, Generation generation = newest_generation());

}  // namespace lockstep::cpu

#pragma once

#include <cstdint>

#include "tensor/cpu/generation.h"
#include "tensor/half_types.h"

// GELU, Hendrycks and Gimpel 2016, section 2: x * Phi(x), Phi the standard normal distribution; in the exact form, by
// erf, or the paper's approximation 0.5 x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))), of GPT-2.
namespace lockstep::cpu {

enum class GeluForm { erf, tanh };

// For float, in registers: results are within 5e-7 of the form's, relative to |x| or, for slopes, to |dy|, then rounded
// if they are bfloat16. `generation` is for tests. REQUIRES: a processor of that generation. y may be x, dx may be dy.
void gelu(GeluForm form, const float* x, float* y, std::int64_t count, Generation generation = newest_generation());
void gelu(GeluForm form, const float* x, BFloat16* y, std::int64_t count, Generation generation = newest_generation());
void gelu(GeluForm form, const double* x, double* y, std::int64_t count);
void gelu_backward(GeluForm form, const float* x, const float* dy, float* dx, std::int64_t count,
                   Generation generation = newest_generation());
void gelu_backward(GeluForm form, const float* x, const float* dy, BFloat16* dx, std::int64_t count,
                   Generation generation = newest_generation());
void gelu_backward(GeluForm form, const double* x, const double* dy, double* dx, std::int64_t count);

}  // namespace lockstep::cpu

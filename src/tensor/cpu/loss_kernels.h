#pragma once

#include <cstdint>

#include "tensor/cpu/generation.h"
#include "tensor/half_types.h"

// The CPU's losses and metrics; kernels.h has the rules for all kernels. `gradient` may be null, sums are doubles in
// the order of kLossSums. A prediction with a NaN among its numbers is never correct.
namespace lockstep::cpu {

// softmax_loss.cc: gradient may be logits or, in bfloat16, begin where they do. Exponentials of float are taken in
// registers (exponential.inc), within 2e-7 of the true ones. `row`: memory for `classes` numbers, a row of the gradient
// before it is rounded. `generation` is for tests. REQUIRES: a processor of that generation.
void softmax_cross_entropy(double label_smoothing, const float* logits, const std::int32_t* labels,
                           const float* weights, float* gradient, double* sums, std::int64_t rows, std::int64_t classes,
                           Generation generation = newest_generation());
void softmax_cross_entropy(double label_smoothing, const float* logits, const std::int32_t* labels,
                           const float* weights, BFloat16* gradient, float* row, double* sums, std::int64_t rows,
                           std::int64_t classes, Generation generation = newest_generation());
void softmax_cross_entropy(double label_smoothing, const double* logits, const std::int32_t* labels,
                           const float* weights, double* gradient, double* sums, std::int64_t rows,
                           std::int64_t classes);

// losses.cc
void mean_squared_error(const float* predictions, const float* targets, const float* weights, float* gradient,
                        double* sums, std::int64_t rows, std::int64_t width);
void mean_squared_error(const double* predictions, const float* targets, const float* weights, double* gradient,
                        double* sums, std::int64_t rows, std::int64_t width);

// sigmoid_loss.cc: either targets (rows, width) or labels (rows) are given, the other pointer is null.
struct SigmoidTargets {
  const float* numbers = nullptr;
  const std::int32_t* labels = nullptr;
  double label_smoothing = 0;
};
void sigmoid_cross_entropy(const SigmoidTargets& targets, const float* logits, const float* weights, float* gradient,
                           double* sums, std::int64_t rows, std::int64_t width);
void sigmoid_cross_entropy(const SigmoidTargets& targets, const double* logits, const float* weights, double* gradient,
                           double* sums, std::int64_t rows, std::int64_t width);

// metrics.cc
double count_in_top(std::int64_t k, const float* logits, const std::int32_t* labels, const float* weights,
                    std::int64_t rows, std::int64_t classes);
double count_in_top(std::int64_t k, const double* logits, const std::int32_t* labels, const float* weights,
                    std::int64_t rows, std::int64_t classes);
void regression_errors(const float* predictions, const float* targets, const float* weights, double* sums,
                       std::int64_t rows, std::int64_t width);
void regression_errors(const double* predictions, const float* targets, const float* weights, double* sums,
                       std::int64_t rows, std::int64_t width);

}  // namespace lockstep::cpu

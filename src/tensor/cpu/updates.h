#pragma once

#include <cstdint>

#include "tensor/update_steps.h"

// The loops of the optimizers' updates, on raw pointers to spans of `count` elements that do not overlap. Each exists
// for float (vectorised) and double (the reference).
namespace lockstep::cpu {

// updates.cc: element by element, so that a part of a span gets the same bits as the whole.
void sgd_update(float* values, const float* gradients, const SgdStep& step, std::int64_t count);
void sgd_update(double* values, const double* gradients, const SgdStep& step, std::int64_t count);
void momentum_update(float* values, const float* gradients, float* velocity, const MomentumStep& step,
                     std::int64_t count);
void momentum_update(double* values, const double* gradients, double* velocity, const MomentumStep& step,
                     std::int64_t count);
void adam_update(float* values, const float* gradients, float* m, float* v, const AdamStep& step, std::int64_t count);
void adam_update(double* values, const double* gradients, double* m, double* v, const AdamStep& step,
                 std::int64_t count);
void rmsprop_update(float* values, const float* gradients, float* mean_square, const RmspropStep& step,
                    std::int64_t count);
void rmsprop_update(double* values, const double* gradients, double* mean_square, const RmspropStep& step,
                    std::int64_t count);
void adagrad_update(float* values, const float* gradients, float* sum, const AdagradStep& step, std::int64_t count);
void adagrad_update(double* values, const double* gradients, double* sum, const AdagradStep& step, std::int64_t count);

// layerwise_updates.cc: a span is one variable.
void lamb_update(float* values, const float* gradients, float* m, float* v, const LambStep& step, std::int64_t count);
void lamb_update(double* values, const double* gradients, double* m, double* v, const LambStep& step,
                 std::int64_t count);
void lars_update(float* values, const float* gradients, float* velocity, const LarsStep& step, std::int64_t count);
void lars_update(double* values, const double* gradients, double* velocity, const LarsStep& step, std::int64_t count);

// adafactor.cc: a span is one variable.
void adafactor_update(float* values, const float* gradients, float* v, const AdafactorStep& step, std::int64_t count);
void adafactor_update(double* values, const double* gradients, double* v, const AdafactorStep& step,
                      std::int64_t count);

}  // namespace lockstep::cpu

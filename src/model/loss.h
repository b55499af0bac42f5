#pragma once

#include <memory>

#include "tensor/backend.h"
#include "tensor/batch.h"
#include "tensor/problem_shape.h"

namespace lockstep {

// The end of a model: what is minimised. Gives sums over the batch, never means, so that ranks with uneven or no data
// need no special case.
class Loss {
 public:
  virtual ~Loss() = default;
  // predictions (B, outputs). Writes the gradient of the sum of weight * loss into `gradient` (the shape of
  // predictions; empty: not wanted) and kLossSums float64 sums into `sums`.
  virtual void apply(Backend& backend, const Tensor& predictions, const Batch& batch, const Tensor& gradient,
                     const Tensor& sums) const = 0;
};

// Soft-max cross-entropy for class labels, mean squared error for real targets.
std::unique_ptr<Loss> make_loss(ProblemShape::Target target);

}  // namespace lockstep

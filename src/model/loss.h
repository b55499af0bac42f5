#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "base/hparams.h"
#include "tensor/backend.h"
#include "tensor/batch.h"
#include "tensor/problem_shape.h"

namespace lockstep {

// The end of a model: the value that is minimised. Gives sums over the batch, never means, so that ranks with uneven or
// no data need no special case.
class Loss {
 public:
  virtual ~Loss() = default;
  // predictions (B, outputs). Writes the gradient of the sum of weight * loss into `gradient` (the shape of
  // predictions; Tensor(): not wanted, as in an evaluation) and kLossSums float64 sums into `sums`.
  virtual void apply(Backend& backend, const Tensor& predictions, const Batch& batch, const Tensor& gradient,
                     const Tensor& sums) const = 0;
  // Turns the network's outputs into predictions, in place. Errors of real targets are measured on these.
  virtual void to_predictions(Backend& /*backend*/, const Tensor& /*outputs*/) const {}
  // Turns the outputs of samples (B, classes), on the host, into the probabilities of the classes. REQUIRES: class
  // labels.
  virtual void to_probabilities(std::span<float> outputs, std::size_t classes) const;
  // The loss of one sample by its outputs, on the host, as an evaluation measures it. REQUIRES: class labels.
  virtual double of_label(std::span<const float> outputs, std::int32_t label) const;
};

// The loss's hparams with their defaults: loss auto, label_smoothing 0.
HParams loss_hparams();

// Chooses by hparams `loss` (softmax_cross_entropy, sigmoid_cross_entropy, mean_squared_error, or auto: the first for
// class labels, the last for real targets) and `label_smoothing` (training only: an evaluation's loss is never
// smoothed). A set without them means auto and 0. Throws Error(usage) for an unknown name or a smoothing out of range,
// Error(configuration) for one that does not fit the targets.
std::unique_ptr<Loss> make_loss(const HParams& hparams, ProblemShape::Target target);

// The name of the loss, with auto resolved.
std::string loss_name(const HParams& hparams, ProblemShape::Target target);

}  // namespace lockstep

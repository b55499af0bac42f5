#include "model/loss.h"

namespace lockstep {
namespace {

class SoftmaxCrossEntropy final : public Loss {
 public:
  void apply(Backend& backend, const Tensor& predictions, const Batch& batch, const Tensor& gradient,
             const Tensor& sums) const override {
    backend.softmax_cross_entropy(0, predictions, batch.targets, batch.weights, gradient, sums);
  }
};

class MeanSquaredError final : public Loss {
 public:
  void apply(Backend& backend, const Tensor& predictions, const Batch& batch, const Tensor& gradient,
             const Tensor& sums) const override {
    backend.mean_squared_error(predictions, batch.targets, batch.weights, gradient, sums);
  }
};

}  // namespace

std::unique_ptr<Loss> make_loss(const HParams& /*hparams*/, ProblemShape::Target target) {
  if (target == ProblemShape::Target::real) return std::make_unique<MeanSquaredError>();
  return std::make_unique<SoftmaxCrossEntropy>();
}

}  // namespace lockstep

#include <cmath>

#include "optim/optimizer_hparams.h"
#include "optim/optimizers.h"

namespace lockstep {
namespace {

struct AdafactorHParams {
  double memory_exponent;
  double clipping;
  double weight_decay;
  bool relative;
};

class Adafactor final : public Optimizer {
 public:
  explicit Adafactor(const AdafactorHParams& hparams) : hparams_(hparams) {}
  const std::vector<Slot>& slots() const override { return slots_; }
  bool sliceable() const override { return false; }
  void apply(Backend& backend, const Tensor& values, const Tensor& gradients, std::span<const Tensor> slots,
             const Step& step) const override {
    // The last two extents are rows and columns of a matrix, those before count matrices: tensor2tensor's rule.
    const int rank = step.shape.rank();
    backend.adafactor_update(values, gradients, slots[0],
                             {.factor = step.gradient_factor,
                              .device_factor = step.device_factor,
                              .rate = step.learning_rate,
                              .decay = 1 - std::pow(static_cast<double>(step.number), -hparams_.memory_exponent),
                              .clipping = hparams_.clipping,
                              .weight_decay = decay_of(step, hparams_.weight_decay),
                              .rows = rank < 2 ? 1 : step.shape[rank - 2],
                              .columns = rank < 2 ? values.count() : step.shape[rank - 1],
                              .relative = hparams_.relative});
  }

 private:
  AdafactorHParams hparams_;
  std::vector<Slot> slots_{{"v", /*non_negative=*/true}};
};

}  // namespace

HParams adafactor_hparams() {
  return weight_decay_hparams()
      .set("optimizer_adafactor_memory_exponent", 0.8)
      .set("optimizer_adafactor_clipping_threshold", 1.0)
      .set("optimizer_adafactor_multiply_by_parameter_scale", true);
}

std::unique_ptr<Optimizer> make_adafactor(const HParams& hparams) {
  return std::make_unique<Adafactor>(
      AdafactorHParams{.memory_exponent = number_in(hparams, "optimizer_adafactor_memory_exponent", 0.01, 1),
                       .clipping = number_in(hparams, "optimizer_adafactor_clipping_threshold", 0),
                       .weight_decay = weight_decay_of(hparams),
                       .relative = boolean_or(true, hparams, "optimizer_adafactor_multiply_by_parameter_scale")});
}

}  // namespace lockstep

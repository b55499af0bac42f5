#include "optim/optimizer_hparams.h"
#include "optim/optimizers.h"

// Optimizers with a rate for each layer, for large batches: LAMB and LARS.
namespace lockstep {
namespace {

class Lamb final : public Optimizer {
 public:
  Lamb(const MomentHParams& moments, double weight_decay) : moments_(moments), weight_decay_(weight_decay) {}
  const std::vector<Slot>& slots() const override { return slots_; }
  bool sliceable() const override { return false; }
  void apply(Backend& backend, const Tensor& values, const Tensor& gradients, std::span<const Tensor> slots,
             const Step& step) const override {
    backend.lamb_update(values, gradients, slots[0], slots[1],
                        {.factor = step.gradient_factor,
                         .device_factor = step.device_factor,
                         .rate = step.learning_rate,
                         .beta1 = moments_.beta1,
                         .beta2 = moments_.beta2,
                         .epsilon = moments_.epsilon,
                         .t = step.number,
                         .weight_decay = decay_of(step, weight_decay_),
                         .adapted = step.decay == Decay::decayed});
  }

 private:
  MomentHParams moments_;
  double weight_decay_;
  std::vector<Slot> slots_{{"m"}, {"v", /*non_negative=*/true}};
};

class Lars final : public Optimizer {
 public:
  Lars(double momentum, double trust, double weight_decay)
      : momentum_(momentum), trust_(trust), weight_decay_(weight_decay) {}
  const std::vector<Slot>& slots() const override { return slots_; }
  bool sliceable() const override { return false; }
  void apply(Backend& backend, const Tensor& values, const Tensor& gradients, std::span<const Tensor> slots,
             const Step& step) const override {
    backend.lars_update(values, gradients, slots[0],
                        {.factor = step.gradient_factor,
                         .device_factor = step.device_factor,
                         .rate = step.learning_rate,
                         .momentum = momentum_,
                         .trust = trust_,
                         .weight_decay = decay_of(step, weight_decay_),
                         .adapted = step.decay == Decay::decayed});
  }

 private:
  double momentum_;
  double trust_;
  double weight_decay_;
  std::vector<Slot> slots_{{"velocity"}};
};

}  // namespace

HParams lars_hparams() {
  return momentum_hparams().set("optimizer_lars_trust", 0.001);  // You, Gitman and Ginsburg 2017, section 5
}

std::unique_ptr<Optimizer> make_lamb(const HParams& hparams) {
  return std::make_unique<Lamb>(MomentHParams(hparams), weight_decay_of(hparams));
}

std::unique_ptr<Optimizer> make_lars(const HParams& hparams) {
  return std::make_unique<Lars>(momentum_of(hparams), number_in(hparams, "optimizer_lars_trust", 1e-30, 1),
                                weight_decay_of(hparams));
}

}  // namespace lockstep

#include "optim/optimizer_hparams.h"
#include "optim/optimizers.h"

// Optimizers with a step length for each value: Adam, AdamW, RMSprop, Adagrad.
namespace lockstep {
namespace {

class Adam final : public Optimizer {
 public:
  enum class WeightDecay { l2, decoupled };
  Adam(const MomentHParams& moments, WeightDecay kind, double weight_decay)
      : moments_(moments), kind_(kind), weight_decay_(weight_decay) {}
  const std::vector<Slot>& slots() const override { return slots_; }
  bool sliceable() const override { return true; }
  void apply(Backend& backend, const Tensor& values, const Tensor& gradients, std::span<const Tensor> slots,
             const Step& step) const override {
    const double decay = decay_of(step, weight_decay_);
    backend.adam_update(values, gradients, slots[0], slots[1],
                        {.factor = step.gradient_factor,
                         .device_factor = step.device_factor,
                         .rate = step.learning_rate,
                         .beta1 = moments_.beta1,
                         .beta2 = moments_.beta2,
                         .epsilon = moments_.epsilon,
                         .t = step.number,
                         .l2 = kind_ == WeightDecay::l2 ? decay : 0,
                         .decoupled = kind_ == WeightDecay::decoupled ? decay : 0});
  }

 private:
  MomentHParams moments_;
  WeightDecay kind_;
  double weight_decay_;
  std::vector<Slot> slots_{{"m"}, {"v", /*non_negative=*/true}};
};

class Rmsprop final : public Optimizer {
 public:
  Rmsprop(double decay, double epsilon, double weight_decay)
      : decay_(decay), epsilon_(epsilon), weight_decay_(weight_decay) {}
  const std::vector<Slot>& slots() const override { return slots_; }
  bool sliceable() const override { return true; }
  void apply(Backend& backend, const Tensor& values, const Tensor& gradients, std::span<const Tensor> slots,
             const Step& step) const override {
    backend.rmsprop_update(values, gradients, slots[0],
                           {.factor = step.gradient_factor,
                            .device_factor = step.device_factor,
                            .rate = step.learning_rate,
                            .decay = decay_,
                            .epsilon = epsilon_,
                            .l2 = decay_of(step, weight_decay_)});
  }

 private:
  double decay_;
  double epsilon_;
  double weight_decay_;
  std::vector<Slot> slots_{{"mean_square", /*non_negative=*/true}};
};

class Adagrad final : public Optimizer {
 public:
  Adagrad(double epsilon, double weight_decay) : epsilon_(epsilon), weight_decay_(weight_decay) {}
  const std::vector<Slot>& slots() const override { return slots_; }
  bool sliceable() const override { return true; }
  void apply(Backend& backend, const Tensor& values, const Tensor& gradients, std::span<const Tensor> slots,
             const Step& step) const override {
    backend.adagrad_update(values, gradients, slots[0],
                           {.factor = step.gradient_factor,
                            .device_factor = step.device_factor,
                            .rate = step.learning_rate,
                            .epsilon = epsilon_,
                            .l2 = decay_of(step, weight_decay_)});
  }

 private:
  double epsilon_;
  double weight_decay_;
  std::vector<Slot> slots_{{"sum_of_squares", /*non_negative=*/true}};
};

}  // namespace

HParams adam_hparams() {
  return weight_decay_hparams()
      .set("optimizer_adam_beta1", 0.9)
      .set("optimizer_adam_beta2", 0.999)
      .set("optimizer_adam_epsilon", 1e-8);
}

HParams rmsprop_hparams() {
  return weight_decay_hparams().set("optimizer_rmsprop_decay", 0.9).set("optimizer_rmsprop_epsilon", 1e-8);
}

HParams adagrad_hparams() { return weight_decay_hparams().set("optimizer_adagrad_epsilon", 1e-10); }

std::unique_ptr<Optimizer> make_adam(const HParams& hparams) {
  return std::make_unique<Adam>(MomentHParams(hparams), Adam::WeightDecay::l2, weight_decay_of(hparams));
}

std::unique_ptr<Optimizer> make_adamw(const HParams& hparams) {
  return std::make_unique<Adam>(MomentHParams(hparams), Adam::WeightDecay::decoupled, weight_decay_of(hparams));
}

std::unique_ptr<Optimizer> make_rmsprop(const HParams& hparams) {
  return std::make_unique<Rmsprop>(number_in(hparams, "optimizer_rmsprop_decay", 0, 1),
                                   epsilon_of(hparams, "optimizer_rmsprop_epsilon"), weight_decay_of(hparams));
}

std::unique_ptr<Optimizer> make_adagrad(const HParams& hparams) {
  return std::make_unique<Adagrad>(epsilon_of(hparams, "optimizer_adagrad_epsilon"), weight_decay_of(hparams));
}

}  // namespace lockstep

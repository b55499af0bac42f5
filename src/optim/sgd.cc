#include "optim/optimizer_hparams.h"
#include "optim/optimizers.h"

namespace lockstep {
namespace {

class Sgd final : public Optimizer {
 public:
  explicit Sgd(double weight_decay) : weight_decay_(weight_decay) {}
  const std::vector<Slot>& slots() const override { return slots_; }
  bool sliceable() const override { return true; }
  void apply(Backend& backend, const Tensor& values, const Tensor& gradients, std::span<const Tensor> /*slots*/,
             const Step& step) const override {
    backend.sgd_update(values, gradients,
                       {.factor = step.gradient_factor,
                        .device_factor = step.device_factor,
                        .rate = step.learning_rate,
                        .l2 = decay_of(step, weight_decay_)});
  }

 private:
  double weight_decay_;
  std::vector<Slot> slots_;
};

class Momentum final : public Optimizer {
 public:
  Momentum(MomentumStep::Form form, double momentum, double weight_decay)
      : form_(form), momentum_(momentum), weight_decay_(weight_decay) {}
  const std::vector<Slot>& slots() const override { return slots_; }
  bool sliceable() const override { return true; }
  void apply(Backend& backend, const Tensor& values, const Tensor& gradients, std::span<const Tensor> slots,
             const Step& step) const override {
    backend.momentum_update(values, gradients, slots[0],
                            {.factor = step.gradient_factor,
                             .device_factor = step.device_factor,
                             .rate = step.learning_rate,
                             .momentum = momentum_,
                             .l2 = decay_of(step, weight_decay_),
                             .form = form_});
  }

 private:
  MomentumStep::Form form_;
  double momentum_;
  double weight_decay_;
  std::vector<Slot> slots_{{"velocity"}};
};

std::unique_ptr<Optimizer> make_form(MomentumStep::Form form, const HParams& hparams) {
  return std::make_unique<Momentum>(form, momentum_of(hparams), weight_decay_of(hparams));
}

}  // namespace

HParams sgd_hparams() { return weight_decay_hparams(); }

HParams momentum_hparams() {
  return weight_decay_hparams().set("optimizer_momentum_momentum", 0.9).set("optimizer_momentum_nesterov", false);
}

std::unique_ptr<Optimizer> make_sgd(const HParams& hparams) { return std::make_unique<Sgd>(weight_decay_of(hparams)); }

std::unique_ptr<Optimizer> make_momentum(const HParams& hparams) {
  constexpr const char* kNesterov = "optimizer_momentum_nesterov";
  const bool nesterov = boolean_or(false, hparams, kNesterov);
  return make_form(nesterov ? MomentumStep::Form::nesterov : MomentumStep::Form::heavy_ball, hparams);
}

std::unique_ptr<Optimizer> make_nesterov(const HParams& hparams) {
  return make_form(MomentumStep::Form::nesterov, hparams);
}

}  // namespace lockstep

#include "optim/optimizers.h"

#include <fmt/format.h>

#include <cmath>

namespace lockstep {
namespace {

double in_range(const HParams& hparams, const std::string& name, double least, double below) {
  const double value = hparams.number(name);
  if (value >= least && value < below) return value;
  throw Error(ExitCode::usage,
              fmt::format("hparam {} is {}; it has to be at least {} and below {}", name, value, least, below),
              Scope::every_rank);
}

class Sgd final : public Optimizer {
 public:
  const std::vector<std::string>& slots() const override { return slots_; }
  bool sliceable() const override { return true; }
  void apply(Backend& backend, const Tensor& values, const Tensor& gradients, std::span<const Tensor> /*slots*/,
             const Step& step) const override {
    backend.sgd_update(values, gradients, step.learning_rate);
  }

 private:
  std::vector<std::string> slots_;
};

class Momentum final : public Optimizer {
 public:
  explicit Momentum(double momentum) : momentum_(momentum) {}
  const std::vector<std::string>& slots() const override { return slots_; }
  bool sliceable() const override { return true; }
  void apply(Backend& backend, const Tensor& values, const Tensor& gradients, std::span<const Tensor> slots,
             const Step& step) const override {
    backend.momentum_update(values, gradients, slots[0], step.learning_rate, momentum_);
  }

 private:
  double momentum_;
  std::vector<std::string> slots_{"velocity"};
};

class Adam final : public Optimizer {
 public:
  Adam(double beta1, double beta2, double epsilon) : beta1_(beta1), beta2_(beta2), epsilon_(epsilon) {}
  const std::vector<std::string>& slots() const override { return slots_; }
  bool sliceable() const override { return true; }
  void apply(Backend& backend, const Tensor& values, const Tensor& gradients, std::span<const Tensor> slots,
             const Step& step) const override {
    backend.adam_update(
        values, gradients, slots[0], slots[1],
        {.rate = step.learning_rate, .beta1 = beta1_, .beta2 = beta2_, .epsilon = epsilon_, .t = step.number});
  }

 private:
  double beta1_;
  double beta2_;
  double epsilon_;
  std::vector<std::string> slots_{"m", "v"};
};

}  // namespace

std::unique_ptr<Optimizer> make_sgd(const HParams& /*hparams*/) { return std::make_unique<Sgd>(); }

std::unique_ptr<Optimizer> make_momentum(const HParams& hparams) {
  return std::make_unique<Momentum>(in_range(hparams, "optimizer_momentum_momentum", 0, 1));
}

std::unique_ptr<Optimizer> make_adam(const HParams& hparams) {
  return std::make_unique<Adam>(in_range(hparams, "optimizer_adam_beta1", 0, 1),
                                in_range(hparams, "optimizer_adam_beta2", 0, 1),
                                in_range(hparams, "optimizer_adam_epsilon", 1e-30, 1));
}

}  // namespace lockstep

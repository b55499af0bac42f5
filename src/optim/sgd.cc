#include "optim/formula_optimizer.h"
#include "optim/optimizer_hparams.h"
#include "optim/optimizers.h"

namespace lockstep {
namespace {

std::unique_ptr<Optimizer> make_form(MomentumStep::Form form, const HParams& hparams) {
  const double momentum = momentum_of(hparams);
  const double weight_decay = weight_decay_of(hparams);
  return make_formula_optimizer({{"velocity"}}, Sliceable::yes, [=](const Optimizer::Step& step, std::int64_t) {
    return MomentumStep{
        .rate = step.learning_rate, .momentum = momentum, .l2 = decay_of(step, weight_decay), .form = form};
  });
}

}  // namespace

HParams sgd_hparams() { return weight_decay_hparams(); }

HParams momentum_hparams() {
  return weight_decay_hparams().set("optimizer_momentum_momentum", 0.9).set("optimizer_momentum_nesterov", false);
}

std::unique_ptr<Optimizer> make_sgd(const HParams& hparams) {
  const double weight_decay = weight_decay_of(hparams);
  return make_formula_optimizer({}, Sliceable::yes, [=](const Optimizer::Step& step, std::int64_t) {
    return SgdStep{.rate = step.learning_rate, .l2 = decay_of(step, weight_decay)};
  });
}

std::unique_ptr<Optimizer> make_momentum(const HParams& hparams) {
  constexpr const char* kNesterov = "optimizer_momentum_nesterov";
  const bool nesterov = boolean_or(false, hparams, kNesterov);
  return make_form(nesterov ? MomentumStep::Form::nesterov : MomentumStep::Form::heavy_ball, hparams);
}

std::unique_ptr<Optimizer> make_nesterov(const HParams& hparams) {
  return make_form(MomentumStep::Form::nesterov, hparams);
}

}  // namespace lockstep

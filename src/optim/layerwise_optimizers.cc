#include "optim/formula_optimizer.h"
#include "optim/optimizer_hparams.h"
#include "optim/optimizers.h"

// Optimizers with a rate for each variable, for large batches: LAMB and LARS.
namespace lockstep {

HParams lars_hparams() {
  return momentum_hparams().set("optimizer_lars_trust", 0.001);  // You, Gitman and Ginsburg 2017, section 5
}

std::unique_ptr<Optimizer> make_lamb(const HParams& hparams) {
  const MomentHParams moments(hparams);
  const double weight_decay = weight_decay_of(hparams);
  return make_formula_optimizer({{"m"}, {"v", /*non_negative=*/true}}, Sliceable::no,
                                [=](const Optimizer::Step& step, std::int64_t) {
                                  return LambStep{.rate = step.learning_rate,
                                                  .beta1 = moments.beta1,
                                                  .beta2 = moments.beta2,
                                                  .epsilon = moments.epsilon,
                                                  .t = step.number,
                                                  .weight_decay = decay_of(step, weight_decay),
                                                  .adapted = step.decay == Optimizer::Decay::decayed};
                                });
}

std::unique_ptr<Optimizer> make_lars(const HParams& hparams) {
  const double momentum = momentum_of(hparams);
  const double trust = number_in(hparams, "optimizer_lars_trust", 1e-30, 1);
  const double weight_decay = weight_decay_of(hparams);
  return make_formula_optimizer({{"velocity"}}, Sliceable::no, [=](const Optimizer::Step& step, std::int64_t) {
    return LarsStep{.rate = step.learning_rate,
                    .momentum = momentum,
                    .trust = trust,
                    .weight_decay = decay_of(step, weight_decay),
                    .adapted = step.decay == Optimizer::Decay::decayed};
  });
}

}  // namespace lockstep

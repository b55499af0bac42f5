#include "optim/formula_optimizer.h"
#include "optim/optimizer_hparams.h"
#include "optim/optimizers.h"

// Optimizers with a step length for each value: Adam, AdamW, RMSprop, Adagrad.
namespace lockstep {
namespace {

enum class AdamDecay { l2, decoupled };

std::unique_ptr<Optimizer> make_adam_with(AdamDecay kind, const HParams& hparams) {
  const MomentHParams moments(hparams);
  const double weight_decay = weight_decay_of(hparams);
  return make_formula_optimizer({{"m"}, {"v", /*non_negative=*/true}}, Sliceable::yes,
                                [=](const Optimizer::Step& step, std::int64_t) {
                                  const double decay = decay_of(step, weight_decay);
                                  return AdamStep{.rate = step.learning_rate,
                                                  .beta1 = moments.beta1,
                                                  .beta2 = moments.beta2,
                                                  .epsilon = moments.epsilon,
                                                  .t = step.number,
                                                  .l2 = kind == AdamDecay::l2 ? decay : 0,
                                                  .decoupled = kind == AdamDecay::decoupled ? decay : 0};
                                });
}

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

std::unique_ptr<Optimizer> make_adam(const HParams& hparams) { return make_adam_with(AdamDecay::l2, hparams); }

std::unique_ptr<Optimizer> make_adamw(const HParams& hparams) { return make_adam_with(AdamDecay::decoupled, hparams); }

std::unique_ptr<Optimizer> make_rmsprop(const HParams& hparams) {
  const double decay = number_in(hparams, "optimizer_rmsprop_decay", 0, 1);
  const double epsilon = epsilon_of(hparams, "optimizer_rmsprop_epsilon");
  const double weight_decay = weight_decay_of(hparams);
  return make_formula_optimizer(
      {{"mean_square", /*non_negative=*/true}}, Sliceable::yes, [=](const Optimizer::Step& step, std::int64_t) {
        return RmspropStep{
            .rate = step.learning_rate, .decay = decay, .epsilon = epsilon, .l2 = decay_of(step, weight_decay)};
      });
}

std::unique_ptr<Optimizer> make_adagrad(const HParams& hparams) {
  const double epsilon = epsilon_of(hparams, "optimizer_adagrad_epsilon");
  const double weight_decay = weight_decay_of(hparams);
  return make_formula_optimizer(
      {{"sum_of_squares", /*non_negative=*/true}}, Sliceable::yes, [=](const Optimizer::Step& step, std::int64_t) {
        return AdagradStep{.rate = step.learning_rate, .epsilon = epsilon, .l2 = decay_of(step, weight_decay)};
      });
}

}  // namespace lockstep

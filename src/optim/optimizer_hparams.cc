#include "optim/optimizer_hparams.h"

namespace lockstep {

MomentHParams::MomentHParams(const HParams& hparams)
    : beta1(number_in(hparams, "optimizer_adam_beta1", 0, 1)),
      beta2(number_in(hparams, "optimizer_adam_beta2", 0, 1)),
      epsilon(epsilon_of(hparams, "optimizer_adam_epsilon")) {}

HParams weight_decay_hparams() { return HParams().set("weight_decay", 0.0); }

double momentum_of(const HParams& hparams) { return number_in(hparams, "optimizer_momentum_momentum", 0, 1); }

double epsilon_of(const HParams& hparams, std::string_view name) { return number_in(hparams, name, 1e-30, 1); }

double weight_decay_of(const HParams& hparams) { return number_or(0, hparams, "weight_decay", 0, 1000); }

}  // namespace lockstep

#pragma once

#include <memory>

#include "optim/optimizer.h"

// The built-in optimizers, made from hparams. A value out of range is an Error(usage) that names the hparam.
namespace lockstep {

// values -= rate * gradients. No hparams of its own.
std::unique_ptr<Optimizer> make_sgd(const HParams& hparams);

// Heavy-ball momentum (Polyak 1964) in the form without damping: velocity = momentum * velocity + gradients;
// values -= rate * velocity. hparam optimizer_momentum_momentum.
std::unique_ptr<Optimizer> make_momentum(const HParams& hparams);

// Adam, Kingma and Ba 2015; see Backend::AdamStep. hparams optimizer_adam_beta1, _beta2, _epsilon.
std::unique_ptr<Optimizer> make_adam(const HParams& hparams);

}  // namespace lockstep

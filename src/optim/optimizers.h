#pragma once

#include <memory>

#include "optim/optimizer.h"

// The built-in optimizers, made from hparams, and the hparams each reads, with their defaults. tensor/update_steps.h
// has their formulas and the sources of those.
//
// All read hparam weight_decay (a set without it has none) and do not apply it to biases and norms. It is L2
// regularisation, added to the gradient, except for adamw and adafactor, where the values shrink separately from the
// step (Loshchilov and Hutter 2019), and lamb and lars, which have their own places for it. A value out of range is an
// Error(usage) that names the hparam.
namespace lockstep {

HParams sgd_hparams();
std::unique_ptr<Optimizer> make_sgd(const HParams& hparams);

// SGD with momentum: hparam optimizer_momentum_momentum. Heavy-ball, or Nesterov's with optimizer_momentum_nesterov.
HParams momentum_hparams();
std::unique_ptr<Optimizer> make_momentum(const HParams& hparams);
// Nesterov's momentum always; optimizer_momentum_nesterov is ignored.
std::unique_ptr<Optimizer> make_nesterov(const HParams& hparams);

// hparams optimizer_adam_beta1, _beta2, _epsilon; adamw and lamb read the same.
HParams adam_hparams();
std::unique_ptr<Optimizer> make_adam(const HParams& hparams);
std::unique_ptr<Optimizer> make_adamw(const HParams& hparams);

// hparams optimizer_rmsprop_decay, _epsilon.
HParams rmsprop_hparams();
std::unique_ptr<Optimizer> make_rmsprop(const HParams& hparams);

// hparam optimizer_adagrad_epsilon.
HParams adagrad_hparams();
std::unique_ptr<Optimizer> make_adagrad(const HParams& hparams);

// LAMB, and below LARS, for large batches: the length of each variable's step is proportional to the variable's. Not
// sliceable. Variables without weight decay (biases and norms) are not scaled: they start at zero or are short, and
// would hardly move.
std::unique_ptr<Optimizer> make_lamb(const HParams& hparams);
// hparams optimizer_momentum_momentum and optimizer_lars_trust, the paper's eta.
HParams lars_hparams();
std::unique_ptr<Optimizer> make_lars(const HParams& hparams);

// Adafactor keeps only a mean square for each row and each column of a matrix. Not sliceable. The rate is relative to
// the variable's own size with optimizer_adafactor_multiply_by_parameter_scale. hparams
// optimizer_adafactor_memory_exponent (growth of the averaging length: decay 1 - t^-exponent), _clipping_threshold (0:
// never), tensor2tensor's names and defaults. No momentum (its optimizer_adafactor_beta1), no decay as Adam's, no form
// that is not factored.
HParams adafactor_hparams();
std::unique_ptr<Optimizer> make_adafactor(const HParams& hparams);

}  // namespace lockstep

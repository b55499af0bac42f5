#pragma once

#include "base/hparams_range.h"
#include "optim/optimizer.h"

// The hparams that several optimizers share.
namespace lockstep {

struct MomentHParams {
  explicit MomentHParams(const HParams& hparams);

  double beta1;
  double beta2;
  double epsilon;
};

// The hparams that every optimizer has: weight_decay, 0 by default.
HParams weight_decay_hparams();

double momentum_of(const HParams& hparams);
// An epsilon: never 0, because 0 is divided by it where every gradient was 0.
double epsilon_of(const HParams& hparams, std::string_view name);
// The hparam weight_decay; 0 if the set does not have it.
double weight_decay_of(const HParams& hparams);

// The weight decay of one span.
inline double decay_of(const Optimizer::Step& step, double weight_decay) {
  return step.decay == Optimizer::Decay::decayed ? weight_decay : 0;
}

}  // namespace lockstep

#pragma once

#include "base/hparams_range.h"
#include "optim/optimizer.h"

// What several optimizers read from hparams alike.
namespace lockstep {

struct MomentHParams {
  explicit MomentHParams(const HParams& hparams);

  double beta1;
  double beta2;
  double epsilon;
};

// What every optimizer's hparams begin with: weight_decay, none.
HParams weight_decay_hparams();

double momentum_of(const HParams& hparams);
// Never 0: where no gradient ever came, 0 is divided by it.
double epsilon_of(const HParams& hparams, std::string_view name);
// 0 for a set that does not have it.
double weight_decay_of(const HParams& hparams);

// The decay of one span.
inline double decay_of(const Optimizer::Step& step, double weight_decay) {
  return step.decay == Optimizer::Decay::decayed ? weight_decay : 0;
}

}  // namespace lockstep

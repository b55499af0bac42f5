#pragma once

#include "base/hparams.h"

// The hparams sets of the built-in models. A set has every hyperparameter that the model, the optimizer, the schedule
// and the trainer ask for, so that --hparams can only change what is there.
namespace lockstep {

HParams linear_hparams();
HParams mlp_hparams();

}  // namespace lockstep

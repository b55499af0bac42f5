#pragma once

#include "base/hparams.h"

// The hparams sets of the built-in models. A set has every hyperparameter that the model, the optimizer, the schedule
// and the trainer ask for, so that --hparams can only change what is there.
namespace lockstep {

HParams linear_hparams();
HParams mlp_hparams();
HParams convnet_hparams();
HParams convnet_peer_hparams();  // the small convnet of many tutorials, that other trainers are measured with
HParams lenet_hparams();
HParams resnet_hparams();

}  // namespace lockstep

#pragma once

#include "train/registry/registry.h"

namespace lockstep {

// The hparams sets of the models transformer and transformer_lm: tensor2tensor's, under its names and with its values,
// GPT-2's, nanoGPT's for the characters of a text, and that of bench/step.
void add_transformer_sets(Registry& registry);

}  // namespace lockstep

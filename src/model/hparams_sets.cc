#include "model/hparams_sets.h"

namespace lockstep {
namespace {

// What every set has: batch, length, optimizer and schedule. tensor2tensor's names where it has them.
HParams training_hparams() {
  HParams hparams;
  hparams.set("batch_size", std::int64_t{128});  // samples a rank, unless --global_batch_size says otherwise
  hparams.set("train_steps", std::int64_t{1000});
  hparams.set("optimizer", std::string("adam"));
  hparams.set("optimizer_momentum_momentum", 0.9);
  hparams.set("optimizer_adam_beta1", 0.9);
  hparams.set("optimizer_adam_beta2", 0.999);
  hparams.set("optimizer_adam_epsilon", 1e-8);
  hparams.set("learning_rate", 0.001);
  hparams.set("learning_rate_schedule", std::string("constant*linear_warmup*cosine"));
  hparams.set("learning_rate_warmup_steps", std::int64_t{0});
  return hparams;
}

}  // namespace

HParams linear_hparams() { return training_hparams(); }

HParams mlp_hparams() {
  HParams hparams = training_hparams();
  hparams.set("hidden_size", std::int64_t{512});
  hparams.set("num_hidden_layers", std::int64_t{2});
  hparams.set("activation", std::string("relu"));
  hparams.set("dropout", 0.1);
  return hparams;
}

}  // namespace lockstep

#include "model/hparams_sets.h"

namespace lockstep {
namespace {

// What every set has: batch, length, optimizer and schedule. tensor2tensor's names where it has them.
HParams training_hparams() {
  HParams hparams;
  hparams.set("batch_size", std::int64_t{128});  // samples a rank, unless --global_batch_size says otherwise
  hparams.set("train_steps", std::int64_t{1000});
  hparams.set("optimizer", std::string("adam"));
  hparams.set("optimizer_multistep_accumulate_steps", std::int64_t{1});  // batches of an update
  hparams.set("clip_grad_norm", 0.0);                                    // 0: never
  hparams.set("loss", std::string("auto"));                              // by the kind of targets
  hparams.set("label_smoothing", 0.0);
  hparams.set("num_classes", std::int64_t{0});    // of problem arrays; 0: as its labels say
  hparams.set("normalize_inputs", false);         // to mean 0 and deviation 1 of the training split
  hparams.set("augment_shift", std::int64_t{0});  // pixels at most, either way
  hparams.set("augment_flip", false);             // left and right
  hparams.set("weight_decay", 0.0);
  hparams.set("optimizer_momentum_momentum", 0.9);
  hparams.set("optimizer_momentum_nesterov", false);
  hparams.set("optimizer_adam_beta1", 0.9);
  hparams.set("optimizer_adam_beta2", 0.999);
  hparams.set("optimizer_adam_epsilon", 1e-8);
  hparams.set("optimizer_rmsprop_decay", 0.9);
  hparams.set("optimizer_rmsprop_epsilon", 1e-8);
  hparams.set("optimizer_adagrad_epsilon", 1e-10);
  hparams.set("optimizer_lars_trust", 0.001);  // You, Gitman and Ginsburg 2017, section 5
  hparams.set("learning_rate", 0.001);
  hparams.set("learning_rate_schedule", std::string("constant*linear_warmup*cosine"));
  hparams.set("learning_rate_constant", 1.0);
  hparams.set("learning_rate_warmup_steps", std::int64_t{0});
  hparams.set("learning_rate_decay_steps", std::int64_t{5000});
  hparams.set("learning_rate_decay_rate", 0.1);
  hparams.set("learning_rate_decay_staircase", false);
  hparams.set("learning_rate_reference_batch", std::int64_t{0});  // 0: the rate does not depend on the batch
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

HParams convnet_hparams() {
  HParams hparams = training_hparams();
  hparams.set("num_blocks", std::int64_t{3});
  hparams.set("num_filters", std::int64_t{32});
  hparams.set("kernel_size", std::int64_t{3});
  hparams.set("padding", std::string("same"));
  hparams.set("hidden_size", std::int64_t{128});  // 0: no hidden layer
  hparams.set("dropout", 0.3);
  hparams.set("normalize_inputs", true);
  hparams.set("optimizer", std::string("adamw"));
  hparams.set("learning_rate", 0.002);
  hparams.set("weight_decay", 0.05);
  return hparams;
}

HParams convnet_peer_hparams() {
  HParams hparams = training_hparams();
  hparams.set("num_blocks", std::int64_t{2});
  hparams.set("num_filters", std::int64_t{32});
  hparams.set("kernel_size", std::int64_t{3});
  hparams.set("padding", std::string("valid"));
  hparams.set("hidden_size", std::int64_t{0});
  hparams.set("dropout", 0.5);
  hparams.set("optimizer", std::string("momentum"));
  hparams.set("learning_rate", 0.01);
  hparams.set("learning_rate_schedule", std::string("constant"));
  return hparams;
}

HParams lenet_hparams() { return training_hparams(); }

HParams resnet_hparams() {
  HParams hparams = training_hparams();
  hparams.set("num_stages", std::int64_t{3});
  hparams.set("num_blocks", std::int64_t{2});  // of a stage
  hparams.set("num_filters", std::int64_t{16});
  hparams.set("norm_groups", std::int64_t{8});
  hparams.set("dropout", 0.0);
  return hparams;
}

}  // namespace lockstep

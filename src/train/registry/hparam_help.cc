#include "train/registry/hparam_help.h"

#include <algorithm>
#include <iterator>

namespace lockstep {
namespace {

struct HParamHelp {
  std::string_view name;
  std::string_view help;
};

constexpr HParamHelp kHelp[] = {
    // Data and batches
    {"batch_size", "samples of a step on each rank; of sequences, tokens"},
    {"train_steps", "steps of the run, unless --train_steps or --train_epochs says otherwise"},
    {"normalize_inputs", "bring inputs to mean 0 and standard deviation 1, as measured on the training split"},
    {"num_classes", "number of classes (problem arrays only); 0: found from the labels"},
    {"augment_shift", "shift training images by up to this many pixels"},
    {"augment_flip", "mirror training images at random"},
    {"text_unit", "tokenizer of a text: character, word, ...; train --registry_help lists them"},
    {"vocab_size", "size of the vocabulary; 0: as the data say"},
    {"max_length", "symbols of the longest sequence"},
    {"min_length_bucket", "bound of the first length bucket, which has the shorter sequences"},
    {"length_bucket_step", "bound of each further length bucket, as a multiple of the one before"},
    {"loss", "auto: cross entropy for classes, mean squared error for numbers"},
    {"label_smoothing", "probability of a target that is divided among all classes; of a Transformer, the wrong ones"},
    // Networks
    {"hidden_size", "width of the hidden layers; of a Transformer, between all layers"},
    {"num_hidden_layers", "hidden layers; of a Transformer, layers of the decoder and of the encoder"},
    {"activation", "relu, tanh or gelu; of a Transformer relu, gelu or gelu_tanh"},
    {"dropout", "share of the values that are set to 0 in training"},
    {"num_blocks", "blocks; of resnet, in each stage"},
    {"num_filters", "filters of the first block or stage; each later one has twice as many"},
    {"kernel_size", "height and width of convolutions"},
    {"padding", "same: convolutions keep the size of the image; valid: without padding"},
    {"num_stages", "stages; each after the first halves height and width"},
    {"norm_groups", "groups of channels of the group norm"},
    {"filter_size", "width inside a feed-forward layer"},
    {"num_heads", "attention heads; has to divide hidden_size"},
    {"num_encoder_layers", "layers of the encoder; 0: num_hidden_layers"},
    {"num_decoder_layers", "layers of the decoder; 0: num_hidden_layers"},
    {"layer_preprocess_sequence", "before each layer: n = a norm, or none"},
    {"layer_postprocess_sequence", "after each layer: da = dropout and the sum; dan: and a norm"},
    {"layer_prepostprocess_dropout", "dropout of a layer's output"},
    {"attention_dropout", "dropout of the attention weights"},
    {"relu_dropout", "dropout inside feed-forward layers"},
    {"norm_epsilon", "added to the variance in norms"},
    {"shared_embedding_and_softmax_weights", "one table for input embeddings and output weights"},
    {"multiply_embedding_mode", "sqrt_depth: embeddings times the root of hidden_size; none"},
    {"pos", "positions: timing = sines and cosines, emb = learned, none"},
    {"initializer", "initial values: uniform_unit_scaling or gpt2"},
    {"biases", "feed_forward, all or none"},
    // Learning rate
    {"learning_rate", "the base rate"},
    {"learning_rate_schedule", "factors of the rate, joined by *; train --print_schedule draws it"},
    {"learning_rate_constant", "value of the factor `constant` of the schedule"},
    {"learning_rate_warmup_steps", "steps in which the rate grows to its full size"},
    {"learning_rate_cosine_end", "share of the rate at the end of factor cosine"},
    {"learning_rate_decay_steps", "steps between two decays, of factors step_decay and exponential"},
    {"learning_rate_decay_rate", "what each decay multiplies the rate by"},
    {"learning_rate_decay_staircase", "exponential decays in steps, not smoothly"},
    {"learning_rate_reference_batch",
     "the global batch that learning_rate was tuned for: the rate is multiplied by global batch / this; 0: never"},
    {"learning_rate_root_of_workers",
     "with --strategy=parameter_server, divides the rate by the square root of the number of ranks that train"},
    // Optimizers
    {"optimizer", "adam, adamw, sgd, ...; train --registry_help lists them"},
    {"optimizer_multistep_accumulate_steps", "batches whose gradients are added up for one step"},
    {"clip_grad_norm", "largest norm of the gradient; 0: no limit"},
    {"weight_decay", "strength of the pull of weights towards 0; not applied to biases and norms"},
    {"optimizer_momentum_momentum", "share of the last step that is kept"},
    {"optimizer_momentum_nesterov", "Nesterov's form of momentum"},
    {"optimizer_adam_beta1", "decay of the mean of gradients"},
    {"optimizer_adam_beta2", "decay of the mean of their squares"},
    {"optimizer_adam_epsilon", "added to the root of the mean square"},
    {"optimizer_rmsprop_decay", "decay of the mean square"},
    {"optimizer_rmsprop_epsilon", "added to the root of the mean square"},
    {"optimizer_adagrad_epsilon", "added to the root of the sum of squares"},
    {"optimizer_lars_trust", "size of a layer's step, relative to the norm of its weights"},
    {"optimizer_adafactor_memory_exponent", "mean squares decay by 1 - t^-this in step t"},
    {"optimizer_adafactor_clipping_threshold", "root mean square that a variable's step is shortened to; 0: never"},
    {"optimizer_adafactor_multiply_by_parameter_scale", "the rate is relative to the size of the variable"},
};

}  // namespace

std::string_view hparam_help(std::string_view name) {
  const auto* const found = std::ranges::find(kHelp, name, &HParamHelp::name);
  return found == std::end(kHelp) ? "" : found->help;
}

}  // namespace lockstep

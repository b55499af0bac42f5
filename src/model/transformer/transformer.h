#pragma once

#include <memory>

#include "base/hparams.h"
#include "model/model.h"

// Models of sequences of symbols (Vaswani et al. 2017, "Attention is all you need"), with tensor2tensor's equations and
// names of hparams. X_hparams() are the hyperparameters that make_X() reads, with their defaults. Mismatches are Errors
// of every rank: a problem's shape (configuration), an hparam out of range or unknown (usage).
//
//   hidden_size, filter_size   width of a row between the layers, and inside a feed-forward layer
//   num_heads                  heads of attention; hidden_size must be a multiple of it
//   num_hidden_layers          layers of the decoder, and of the encoder if there is one; num_decoder_layers and
//                              num_encoder_layers override it for one of them, if not 0
//   layer_preprocess_sequence  n: a norm before each layer, and one after the last; none
//   layer_postprocess_sequence da: dropout, then the layer's input is added; dan: and a norm after that
//   layer_prepostprocess_dropout, attention_dropout, relu_dropout   rates of that, of the weights of attention, and
//                              inside feed-forward layers
//   norm_epsilon               added to the variance
//   label_smoothing            in training: probability of the other symbols (T2T's form, with the entropy subtracted)
//   shared_embedding_and_softmax_weights   one table of symbols for input and output
//   multiply_embedding_mode    sqrt_depth: rows of the table are multiplied by the root of hidden_size; none
//   pos                        timing: sines and cosines are added; emb: learned rows, max_length of them; none
//   max_length                 with pos=emb, the longest sequence
//   initializer                uniform_unit_scaling: Glorot's, and a table of standard deviation 1 / sqrt(hidden_size);
//                              gpt2: standard deviation 0.02, and 0.02 / sqrt(2 * layers) for outputs added to a row
//   activation                 of feed-forward layers: relu, gelu (by erf) or gelu_tanh
//   biases                     feed_forward: in feed-forward layers and norms (T2T); all: in attention as well (GPT-2);
//                              none
namespace lockstep {

// Decoder alone: each symbol from those before it. For language models, and problems without a source. The defaults are
// those that train on characters of a text in minutes on a processor.
HParams transformer_lm_hparams();
std::unique_ptr<Model> make_transformer_lm(const HParams& hparams, const ProblemShape& shape);

// Encoder and decoder: a sequence from another one. The defaults are tensor2tensor's transformer_base.
HParams transformer_hparams();
std::unique_ptr<Model> make_transformer(const HParams& hparams, const ProblemShape& shape);

}  // namespace lockstep

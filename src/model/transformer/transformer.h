#pragma once

#include <memory>

#include "base/hparams.h"
#include "model/model.h"

// Models of sequences of symbols (Vaswani et al. 2017, "Attention is all you need"), with tensor2tensor's equations and
// names of hparams. X_hparams() are the hyperparameters that make_X() reads, with their defaults. What does not fit is
// an Error of every rank: a problem's shape (configuration), an hparam out of range or unknown (usage).
//
//   hidden_size, filter_size   numbers of a row between the layers, and inside a feed-forward layer
//   num_heads                  of attention; hidden_size has to be a multiple of it
//   num_hidden_layers          of the decoder, and of the encoder where there is one; of one of them alone
//                              num_decoder_layers and num_encoder_layers, where they are not 0
//   layer_preprocess_sequence  n: a norm before each layer, and one after the last; none
//   layer_postprocess_sequence da: dropout, then what went in is added; dan: and a norm after that
//   layer_prepostprocess_dropout, attention_dropout, relu_dropout   of that, of the weights of attention, and of the
//                              inside of feed-forward layers
//   norm_epsilon               added to the variance
//   label_smoothing            while training: what is left for the other symbols (T2T's form, the entropy taken off)
//   shared_embedding_and_softmax_weights   one table of symbols for what is read and for what is written
//   multiply_embedding_mode    sqrt_depth: rows of the table are multiplied by the root of hidden_size; none
//   pos                        timing: sines and cosines are added; emb: learned rows, max_length of them; none
//   max_length                 with pos=emb, how long a sequence may be
//   initializer                uniform_unit_scaling: Glorot's, and a table of standard deviation 1 / sqrt(hidden_size);
//                              gpt2: standard deviation 0.02, of what is added to a row 0.02 / sqrt(2 * layers)
//   activation                 of feed-forward layers: relu, gelu (by erf) or gelu_tanh
//   biases                     feed_forward: in feed-forward layers and norms (T2T); all: in attention as well (GPT-2);
//                              none
namespace lockstep {

// Decoder alone: each symbol from those before it. Of language models, and of problems without a source. The defaults
// are those that train on characters of a text in minutes on a processor.
HParams transformer_lm_hparams();
std::unique_ptr<Model> make_transformer_lm(const HParams& hparams, const ProblemShape& shape);

// Encoder and decoder: a sequence from another one. The defaults are tensor2tensor's transformer_base.
HParams transformer_hparams();
std::unique_ptr<Model> make_transformer(const HParams& hparams, const ProblemShape& shape);

}  // namespace lockstep

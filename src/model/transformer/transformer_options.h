#pragma once

#include <cstdint>
#include <string>

#include "base/hparams.h"
#include "model/layers.h"

namespace lockstep {

// The hparams of transformer.h, checked. A plain value.
struct TransformerOptions {
  enum class Positions { none, timing, learned };
  enum class Biases { none, feed_forward, all };
  enum class InitialValues { unit_scaling, gpt2 };

  std::int64_t hidden_size = 0;
  std::int64_t filter_size = 0;
  std::int64_t heads = 0;
  std::int64_t encoder_layers = 0;
  std::int64_t decoder_layers = 0;
  std::int64_t max_length = 0;
  double layer_dropout = 0;
  double attention_dropout = 0;
  double inner_dropout = 0;  // inside feed-forward layers
  double norm_epsilon = 0;
  double label_smoothing = 0;
  double embedding_factor = 1;
  Activation activation = Activation::relu;
  Positions positions = Positions::none;
  Biases biases = Biases::feed_forward;
  InitialValues initial_values = InitialValues::unit_scaling;
  bool norm_before = false;
  bool norm_after = false;
  bool shared_table = true;

  bool attention_has_bias() const { return biases == Biases::all; }
  bool feed_forward_has_bias() const { return biases != Biases::none; }
  LayerNormOptions norm(const std::string& name) const {
    return {.epsilon = norm_epsilon, .name = name, .has_shift = feed_forward_has_bias()};
  }
  LayerNormOptions norm_before_products(const std::string& name) const {
    return {.epsilon = norm_epsilon, .name = name, .has_shift = feed_forward_has_bias(), .feeds_products = true};
  }
};

// Throws Error(usage) of every rank for an unknown value or one out of range.
TransformerOptions transformer_options(const HParams& hparams);

// Initial values, as hparam `initializer` says.
// For a kernel (inputs, outputs). Several that lie side by side in one variable start as they would by themselves.
Initializer kernel_values(const TransformerOptions& options, std::int64_t inputs, std::int64_t outputs);
// For a kernel whose outputs are added to the rows of a stack of this many layers, each counted as adding twice.
Initializer residual_values(const TransformerOptions& options, std::int64_t inputs, std::int64_t layers);
// For a table of symbols, and for tables (rows, hidden_size) that are added to its rows.
Initializer symbol_values(const TransformerOptions& options);
Initializer table_values(const TransformerOptions& options, std::int64_t rows);

}  // namespace lockstep

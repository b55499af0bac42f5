#include "model/transformer/transformer_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "base/hparams_range.h"
#include "base/nearest.h"

namespace lockstep {
namespace {

constexpr std::int64_t kMostWidth = 1 << 20;
constexpr std::int64_t kMostLayers = 1000;
constexpr std::int64_t kMostHeads = 1 << 10;  // attention's random draws are counted by head
constexpr double kGpt2Stddev = 0.02;          // Radford et al. 2019; for outputs added to rows see residual_values

// The value of an hparam that has one of these names.
template <class Value>
Value chosen(const HParams& hparams, const std::string& hparam, const std::vector<std::pair<std::string, Value>>& all) {
  const std::string& name = hparams.text(hparam);
  std::vector<std::string> names;
  names.reserve(all.size());
  for (const auto& [known, value] : all) {
    if (known == name) return value;
    names.push_back(known);
  }
  throw Error(ExitCode::usage, fmt::format("hparam {} is '{}'; {}", hparam, name, expected_one_of(names, name)),
              Scope::every_rank);
}

// The layers of one side: its own number, or if that is 0 the number for both.
std::int64_t layers_of(const HParams& hparams, const std::string& hparam) {
  const std::int64_t own = integer_in(hparams, hparam, 0, kMostLayers);
  return own != 0 ? own : integer_in(hparams, "num_hidden_layers", 1, kMostLayers);
}

}  // namespace

TransformerOptions transformer_options(const HParams& hparams) {
  TransformerOptions options;
  options.hidden_size = integer_in(hparams, "hidden_size", 1, kMostWidth);
  options.filter_size = integer_in(hparams, "filter_size", 1, kMostWidth);
  options.heads = integer_in(hparams, "num_heads", 1, kMostHeads - 1);
  options.encoder_layers = layers_of(hparams, "num_encoder_layers");
  options.decoder_layers = layers_of(hparams, "num_decoder_layers");
  options.max_length = integer_in(hparams, "max_length", 0, kMostPositions);
  options.layer_dropout = number_in(hparams, "layer_prepostprocess_dropout", 0, 1);
  options.attention_dropout = number_in(hparams, "attention_dropout", 0, 1);
  options.inner_dropout = number_in(hparams, "relu_dropout", 0, 1);
  options.norm_epsilon = number_in(hparams, "norm_epsilon", 0, 1);
  options.label_smoothing = number_in(hparams, "label_smoothing", 0, 1);
  const double root = std::sqrt(static_cast<double>(options.hidden_size));
  options.embedding_factor = chosen<double>(hparams, "multiply_embedding_mode", {{"sqrt_depth", root}, {"none", 1.0}});
  options.activation = chosen<Activation>(
      hparams, "activation",
      {{"relu", Activation::relu}, {"gelu", Activation::gelu}, {"gelu_tanh", Activation::gelu_tanh}});
  using Positions = TransformerOptions::Positions;
  options.positions = chosen<Positions>(
      hparams, "pos", {{"timing", Positions::timing}, {"emb", Positions::learned}, {"none", Positions::none}});
  using Biases = TransformerOptions::Biases;
  options.biases = chosen<Biases>(
      hparams, "biases", {{"feed_forward", Biases::feed_forward}, {"all", Biases::all}, {"none", Biases::none}});
  using InitialValues = TransformerOptions::InitialValues;
  options.initial_values = chosen<InitialValues>(
      hparams, "initializer", {{"uniform_unit_scaling", InitialValues::unit_scaling}, {"gpt2", InitialValues::gpt2}});
  options.norm_before = chosen<bool>(hparams, "layer_preprocess_sequence", {{"n", true}, {"none", false}});
  options.norm_after = chosen<bool>(hparams, "layer_postprocess_sequence", {{"da", false}, {"dan", true}});
  options.shared_table = hparams.boolean("shared_embedding_and_softmax_weights");
  if (options.hidden_size % options.heads != 0) {
    throw Error(ExitCode::usage,
                fmt::format("hparam hidden_size is {} and num_heads is {}; heads share the numbers of a row, so "
                            "hidden_size has to be a multiple of num_heads",
                            options.hidden_size, options.heads),
                Scope::every_rank);
  }
  if (options.positions == Positions::learned && options.max_length == 0) {
    throw Error(ExitCode::usage, "hparam max_length is 0; with pos=emb it is how many positions are learned",
                Scope::every_rank);
  }
  return options;
}

Initializer kernel_values(const TransformerOptions& options, std::int64_t inputs, std::int64_t outputs) {
  if (options.initial_values == TransformerOptions::InitialValues::gpt2) return Initializer::normal(kGpt2Stddev);
  return Initializer::glorot_uniform(inputs, outputs);
}

// The root is there because the variance of a row grows with each of the 2 * layers outputs that are added to it.
Initializer residual_values(const TransformerOptions& options, std::int64_t inputs, std::int64_t layers) {
  if (options.initial_values == TransformerOptions::InitialValues::gpt2) {
    return Initializer::normal(kGpt2Stddev / std::sqrt(2.0 * static_cast<double>(layers)));
  }
  return Initializer::glorot_uniform(inputs, options.hidden_size);
}

Initializer symbol_values(const TransformerOptions& options) {
  if (options.initial_values == TransformerOptions::InitialValues::gpt2) return Initializer::normal(kGpt2Stddev);
  return Initializer::normal(1 / std::sqrt(static_cast<double>(options.hidden_size)));
}

Initializer table_values(const TransformerOptions& options, std::int64_t rows) {
  return kernel_values(options, rows, options.hidden_size);
}

}  // namespace lockstep

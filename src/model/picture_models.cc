#include "model/picture_models.h"

#include <fmt/format.h>

#include "base/nearest.h"
#include "model/layers.h"

namespace lockstep {
namespace {

std::int64_t in_range(const HParams& hparams, const std::string& name, std::int64_t least, std::int64_t most) {
  const std::int64_t value = hparams.integer(name);
  if (value >= least && value <= most) return value;
  throw Error(ExitCode::usage, fmt::format("hparam {} is {}; it has to be between {} and {}", name, value, least, most),
              Scope::every_rank);
}

Activation activation_of(const HParams& hparams) {
  const std::string& name = hparams.text("activation");
  if (name == "relu") return Activation::relu;
  if (name == "tanh") return Activation::tanh;
  if (name == "gelu") return Activation::gelu;
  const std::vector<std::string> known{"relu", "tanh", "gelu"};
  throw Error(
      ExitCode::usage,
      fmt::format("hparam activation is '{}'{}; there are relu, tanh and gelu", name, did_you_mean(name, known)),
      Scope::every_rank);
}

}  // namespace

std::unique_ptr<Model> make_linear_model(const HParams& /*hparams*/, const ProblemShape& shape) {
  return std::make_unique<Model>(make_linear(shape.outputs, LinearInit::glorot_uniform), shape);
}

std::unique_ptr<Model> make_mlp_model(const HParams& hparams, const ProblemShape& shape) {
  const Activation activation = activation_of(hparams);
  const LinearInit init = activation == Activation::relu ? LinearInit::he_uniform : LinearInit::glorot_uniform;
  std::vector<LayerPointer> layers;
  for (std::int64_t i = 0; i < in_range(hparams, "num_hidden_layers", 0, 1000); ++i) {
    layers.push_back(make_linear(in_range(hparams, "hidden_size", 1, 1 << 20), init));
    layers.push_back(make_activation(activation));
    layers.push_back(make_dropout(hparams.number("dropout")));
  }
  layers.push_back(make_linear(shape.outputs, LinearInit::glorot_uniform));
  return std::make_unique<Model>(make_sequential(std::move(layers)), shape);
}

}  // namespace lockstep

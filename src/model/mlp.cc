#include <fmt/format.h>

#include "base/hparams_range.h"
#include "base/nearest.h"
#include "model/image_models.h"
#include "model/layer_model.h"
#include "model/layers.h"
#include "model/model_input.h"

namespace lockstep {
namespace {

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

std::unique_ptr<Model> make_linear_model(const HParams& hparams, const ProblemShape& shape) {
  std::vector<LayerPointer> layers = begin_network("linear", shape);
  layers.push_back(make_linear(shape.outputs, LinearInit::glorot_uniform));
  return std::make_unique<LayerModel>(make_sequential(std::move(layers)), shape, hparams);
}

HParams mlp_hparams() {
  return HParams()
      .set("hidden_size", std::int64_t{512})
      .set("num_hidden_layers", std::int64_t{2})
      .set("activation", std::string("relu"))
      .set("dropout", 0.1);
}

std::unique_ptr<Model> make_mlp_model(const HParams& hparams, const ProblemShape& shape) {
  const Activation activation = activation_of(hparams);
  const LinearInit init = activation == Activation::relu ? LinearInit::he_uniform : LinearInit::glorot_uniform;
  const std::int64_t hidden_layers = integer_in(hparams, "num_hidden_layers", 0, 1000);
  const std::int64_t hidden_size = integer_in(hparams, "hidden_size", 1, 1 << 20);
  const double dropout = number_in(hparams, "dropout", 0, 1);

  std::vector<LayerPointer> layers = begin_network("mlp", shape);
  for (std::int64_t i = 0; i < hidden_layers; ++i) {
    layers.push_back(make_linear(hidden_size, init));
    layers.push_back(make_activation(activation));
    layers.push_back(make_dropout(dropout));
  }
  layers.push_back(make_linear(shape.outputs, LinearInit::glorot_uniform));
  return std::make_unique<LayerModel>(make_sequential(std::move(layers)), shape, hparams);
}

}  // namespace lockstep

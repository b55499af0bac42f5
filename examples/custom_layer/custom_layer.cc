// A model with a layer of its own, which goes into the list like any other. `train --usr_lib=` loads it.
#include "model/layer_model.h"
#include "model/layers.h"
#include "swish.h"
#include "train/registry/registry.h"

using namespace lockstep;

namespace {

std::unique_ptr<Model> make_swish_mlp(const HParams& hparams, const ProblemShape& shape) {
  std::vector<LayerPointer> layers;
  for (std::int64_t i = 0; i < hparams.integer("num_hidden_layers"); ++i) {
    layers.push_back(make_linear(hparams.integer("hidden_size"), LinearInit::he_uniform));
    layers.push_back(make_swish());
  }
  layers.push_back(make_linear(shape.outputs, LinearInit::glorot_uniform));
  return std::make_unique<LayerModel>(make_sequential(std::move(layers)), shape, hparams);
}

HParams swish_mlp_hparams() {
  HParams hparams;
  hparams.set("hidden_size", std::int64_t{128});
  hparams.set("num_hidden_layers", std::int64_t{2});
  hparams.set("train_steps", std::int64_t{300});
  return hparams;
}

}  // namespace

extern "C" void lockstep_register(Registry& registry) {
  registry.models.add("swish_mlp", "linear layers with a swish after each", make_swish_mlp);
  registry.hparams_sets.add("swish_mlp", "two hidden layers of 128, 300 steps", swish_mlp_hparams);
}

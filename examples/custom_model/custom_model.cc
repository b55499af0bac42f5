// A model of your own: a list of layers, and the hyperparameters it starts from. `train --usr_lib=` loads it.
#include "model/layer_model.h"
#include "model/layers.h"
#include "model/model_input.h"
#include "train/registry/registry.h"

using namespace lockstep;

namespace {

// Applies windows of three sizes at every place of an image and concatenates their outputs, as Szegedy et al. 2015 do:
// (B, H, W, C) -> (B, H, W, 3 * filters).
LayerPointer make_windows(std::int64_t filters) {
  std::vector<LayerPointer> windows;
  for (const std::int64_t size : {1, 3, 5}) {
    windows.push_back(make_convolution({.filters = filters, .kernel_height = size, .kernel_width = size}));
  }
  return make_parallel(std::move(windows), Join::concatenate);
}

// The model is a list of layers; its backward pass comes with them.
std::unique_ptr<Model> make_windows_model(const HParams& hparams, const ProblemShape& shape) {
  std::vector<LayerPointer> layers = begin_image_network("windows", shape);  // throws for inputs that are not images
  for (std::int64_t block = 0; block < hparams.integer("num_blocks"); ++block) {
    layers.push_back(make_windows(hparams.integer("num_filters")));
    layers.push_back(make_activation(Activation::relu));
    layers.push_back(make_pooling({.pooling = Pooling::max, .size = 2, .stride = 2}));
  }
  layers.push_back(make_dropout(hparams.number("dropout")));
  layers.push_back(make_linear(shape.outputs, LinearInit::glorot_uniform));
  return std::make_unique<LayerModel>(make_sequential(std::move(layers)), shape, hparams);
}

// Hyperparameters of the model, and those whose default differs from the common one. --hparams changes any of them:
// --hparams=num_blocks=3,learning_rate=0.003
HParams windows_hparams() {
  HParams hparams;
  hparams.set("num_blocks", std::int64_t{2});
  hparams.set("num_filters", std::int64_t{8});
  hparams.set("dropout", 0.1);
  hparams.set("learning_rate", 0.003);
  hparams.set("train_steps", std::int64_t{200});
  return hparams;
}

}  // namespace

extern "C" void lockstep_register(Registry& registry) {
  registry.models.add("windows", "images seen through 1x1, 3x3 and 5x5 windows at once", make_windows_model);
  registry.hparams_sets.add("windows", "two blocks of 3 x 8 filters, 200 steps", windows_hparams);
}

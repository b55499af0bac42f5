#include <fmt/format.h>

#include <algorithm>

#include "model/image_models.h"
#include "model/layer_model.h"
#include "model/layers.h"
#include "model/model_input.h"

namespace lockstep {
namespace {

constexpr std::int64_t kSmallest = 12;  // the second convolution needs 5 of the 6 rows that the first pooling leaves

LayerPointer convolution(std::int64_t filters, Padding padding) {
  return make_convolution({.filters = filters,
                           .kernel_height = 5,
                           .kernel_width = 5,
                           .padding = padding,
                           .init = LinearInit::glorot_uniform});
}

}  // namespace

std::unique_ptr<Model> make_lenet_model(const HParams& hparams, const ProblemShape& shape) {
  std::vector<LayerPointer> layers = begin_image_network("lenet", shape);
  if (std::min(shape.input[0], shape.input[1]) < kSmallest) {
    throw Error(ExitCode::configuration,
                fmt::format("model lenet needs images of at least {0}x{0} pixels, but this problem's are {1}; choose "
                            "--model=convnet with fewer blocks, or --model=mlp",
                            kSmallest, shape.input.text()),
                Scope::every_rank);
  }
  for (const auto& [filters, padding] : {std::pair{6, Padding::same}, std::pair{16, Padding::valid}}) {
    layers.push_back(convolution(filters, padding));
    layers.push_back(make_activation(Activation::tanh));
    layers.push_back(make_pooling({.pooling = Pooling::average}));
  }
  for (const std::int64_t outputs : {120, 84}) {
    layers.push_back(make_linear(outputs, LinearInit::glorot_uniform));
    layers.push_back(make_activation(Activation::tanh));
  }
  layers.push_back(make_linear(shape.outputs, LinearInit::glorot_uniform));
  return std::make_unique<LayerModel>(make_sequential(std::move(layers)), shape, hparams);
}

}  // namespace lockstep

#include <fmt/format.h>

#include "base/hparams_range.h"
#include "model/image_models.h"
#include "model/layer_model.h"
#include "model/layers.h"
#include "model/model_input.h"

namespace lockstep {
namespace {

LayerPointer convolution(std::int64_t filters, std::int64_t kernel_size, std::int64_t stride) {
  return make_convolution(
      {.filters = filters, .kernel_height = kernel_size, .kernel_width = kernel_size, .stride = stride});
}

// conv, norm, ReLU, conv, norm, plus the input: the basic block of He et al. 2016 with group norm, which unlike batch
// norm does not depend on the other samples and therefore not on how many ranks share the batch.
LayerPointer residual_block(std::int64_t filters, std::int64_t groups, std::int64_t stride) {
  std::vector<LayerPointer> body;
  body.push_back(convolution(filters, 3, stride));
  body.push_back(make_group_norm(groups));
  body.push_back(make_activation(Activation::relu));
  body.push_back(convolution(filters, 3, 1));
  body.push_back(make_group_norm(groups));
  // A stride changes the shape, so the input passes through a 1x1 convolution.
  return make_residual(make_sequential(std::move(body)), stride == 1 ? nullptr : convolution(filters, 1, stride));
}

std::int64_t groups_of(const HParams& hparams, std::int64_t filters) {
  const std::int64_t groups = integer_in(hparams, "norm_groups", 1, filters);
  if (filters % groups == 0) return groups;
  throw Error(ExitCode::usage,
              fmt::format("hparam norm_groups is {}; it has to divide num_filters, which is {}", groups, filters),
              Scope::every_rank);
}

}  // namespace

HParams resnet_hparams() {
  return HParams()
      .set("num_stages", std::int64_t{3})
      .set("num_blocks", std::int64_t{2})  // per stage
      .set("num_filters", std::int64_t{16})
      .set("norm_groups", std::int64_t{8})
      .set("dropout", 0.0);
}

std::unique_ptr<Model> make_resnet_model(const HParams& hparams, const ProblemShape& shape) {
  const std::int64_t filters = integer_in(hparams, "num_filters", 1, 4096);
  const std::int64_t stages = integer_in(hparams, "num_stages", 1, 8);
  const std::int64_t blocks = integer_in(hparams, "num_blocks", 1, 100);
  const std::int64_t groups = groups_of(hparams, filters);
  const double dropout = number_in(hparams, "dropout", 0, 1);

  std::vector<LayerPointer> layers = begin_image_network("resnet", shape);
  layers.push_back(convolution(filters, 3, 1));
  layers.push_back(make_group_norm(groups));
  layers.push_back(make_activation(Activation::relu));
  for (std::int64_t stage = 0; stage < stages; ++stage) {
    for (std::int64_t block = 0; block < blocks; ++block) {
      layers.push_back(residual_block(filters << stage, groups, stage > 0 && block == 0 ? 2 : 1));
      layers.push_back(make_activation(Activation::relu));
    }
  }
  layers.push_back(make_global_average_pooling());
  layers.push_back(make_dropout(dropout));
  layers.push_back(make_linear(shape.outputs, LinearInit::glorot_uniform));
  return std::make_unique<LayerModel>(make_sequential(std::move(layers)), shape, hparams);
}

}  // namespace lockstep

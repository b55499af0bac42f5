#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/counted.h"
#include "base/hparams_range.h"
#include "base/nearest.h"
#include "model/image_models.h"
#include "model/layer_model.h"
#include "model/layers.h"
#include "model/model_input.h"

namespace lockstep {
namespace {

Padding padding_of(const HParams& hparams) {
  const std::string& name = hparams.text("padding");
  if (name == "valid") return Padding::valid;
  if (name == "same") return Padding::same;
  const std::vector<std::string> known{"valid", "same"};
  throw Error(ExitCode::usage,
              fmt::format("hparam padding is '{}'{}; there are valid and same", name, did_you_mean(name, known)),
              Scope::every_rank);
}

struct Blocks {
  std::int64_t count;
  std::int64_t filters;  // filters of the first block; each next one has twice as many
  std::int64_t kernel_size;
  Padding padding;
};

Blocks blocks_of(const HParams& hparams) {
  return {.count = integer_in(hparams, "num_blocks", 1, 10),
          .filters = integer_in(hparams, "num_filters", 1, 4096),
          .kernel_size = integer_in(hparams, "kernel_size", 1, 31),
          .padding = padding_of(hparams)};
}

// Number of the blocks that an image has room for: each has to leave a pixel.
std::int64_t blocks_with_room(const Blocks& blocks, const Shape& image) {
  std::int64_t side = std::min(image[0], image[1]);
  for (std::int64_t i = 0; i < blocks.count; ++i) {
    if (blocks.padding == Padding::valid) side -= blocks.kernel_size - 1;
    side /= 2;
    if (side < 1) return i;
  }
  return blocks.count;
}

// Advice: the hparams that each make the blocks fit by themselves; for images too small for any, another model.
std::string cure_for(const Blocks& blocks, const Shape& image) {
  const auto fit = [&](const Blocks& others) { return blocks_with_room(others, image) == others.count; };
  std::vector<std::string> cures;
  if (const std::int64_t count = blocks_with_room(blocks, image); count > 0) {
    cures.push_back(fmt::format("num_blocks={}", count));
  }
  Blocks smaller = blocks;
  while (smaller.kernel_size > 1 && !fit(smaller)) --smaller.kernel_size;
  if (fit(smaller)) cures.push_back(fmt::format("kernel_size={}", smaller.kernel_size));
  Blocks padded = blocks;
  padded.padding = Padding::same;
  if (fit(padded)) cures.emplace_back("padding=same");
  if (!cures.empty()) return fmt::format("there is room with {} in --hparams", fmt::join(cures, " or "));
  return "take another model, or larger images";
}

// Checked in terms of the hparams, which the layers do not know.
void check_room(const Blocks& blocks, const Shape& image) {
  const std::int64_t room = blocks_with_room(blocks, image);
  if (room == blocks.count) return;
  throw Error(
      ExitCode::configuration,
      fmt::format(
          "model convnet: images of {} (height, width, channels) are too small for {} of a {}x{} convolution and "
          "a 2x2 pooling: nothing is left after block {}; {}",
          image.text(), counted(blocks.count, "block"), blocks.kernel_size, blocks.kernel_size, room + 1,
          cure_for(blocks, image)),
      Scope::every_rank);
}

}  // namespace

HParams convnet_hparams() {
  return HParams()
      .set("num_blocks", std::int64_t{3})
      .set("num_filters", std::int64_t{32})
      .set("kernel_size", std::int64_t{3})
      .set("padding", std::string("same"))
      .set("hidden_size", std::int64_t{128})
      .set("dropout", 0.3);
}

std::unique_ptr<Model> make_convnet_model(const HParams& hparams, const ProblemShape& shape) {
  const Blocks blocks = blocks_of(hparams);
  const std::int64_t hidden_size = integer_in(hparams, "hidden_size", 0, 1 << 20);
  const double dropout = number_in(hparams, "dropout", 0, 1);

  std::vector<LayerPointer> layers = begin_image_network("convnet", shape);
  check_room(blocks, shape.input);
  for (std::int64_t i = 0; i < blocks.count; ++i) {
    layers.push_back(make_convolution({.filters = blocks.filters << i,
                                       .kernel_height = blocks.kernel_size,
                                       .kernel_width = blocks.kernel_size,
                                       .padding = blocks.padding}));
    layers.push_back(make_activation(Activation::relu));
    layers.push_back(make_pooling({}));
  }
  layers.push_back(make_dropout(dropout));
  if (hidden_size > 0) {
    layers.push_back(make_linear(hidden_size, LinearInit::he_uniform));
    layers.push_back(make_activation(Activation::relu));
    layers.push_back(make_dropout(dropout));
  }
  // Max pooling makes its values larger, so that Glorot's values would start with a loss far above ln(classes).
  layers.push_back(make_linear(shape.outputs, LinearInit::tenth_of_glorot));
  return std::make_unique<LayerModel>(make_sequential(std::move(layers)), shape, hparams);
}

}  // namespace lockstep

#include "model/model_input.h"

#include <fmt/format.h>

#include "base/error.h"
#include "model/layers.h"
#include "tensor/channel_order.h"

namespace lockstep {
namespace {

LayerPointer standardization_of(const ProblemShape& shape) {
  if (!shape.input_mean.empty()) return make_standardization(shape.input_mean, shape.input_stddev);
  // Placeholders, which a checkpoint will replace.
  const auto channels = static_cast<std::size_t>(shape.input[shape.input.rank() - 1]);
  return make_standardization(std::vector<double>(channels, 0), std::vector<double>(channels, 1));
}

void check_numbers(std::string_view model, const ProblemShape& shape) {
  if (shape.has_sequences()) {
    const bool pairs = shape.sample == ProblemShape::Sample::pair;
    throw Error(ExitCode::configuration,
                fmt::format("model {} computes with images and other float32 inputs, but this problem has sequences of "
                            "symbols; choose --model={}",
                            model, pairs ? "transformer" : "transformer_lm"),
                Scope::every_rank);
  }
  if (shape.input_type != DType::float32) {
    throw Error(ExitCode::configuration,
                fmt::format("model {} computes with images and other float32 inputs, but this problem's inputs {} are "
                            "numbers of symbols ({} below {}); choose a model that begins with an embedding",
                            model, shape.input.text(), name(shape.input_type), shape.vocabulary),
                Scope::every_rank);
  }
}

std::vector<LayerPointer> first_layers(const ProblemShape& shape) {
  std::vector<LayerPointer> layers;
  if (shape.normalised) layers.push_back(standardization_of(shape));
  return layers;
}

}  // namespace

std::vector<LayerPointer> begin_network(std::string_view model, const ProblemShape& shape) {
  check_numbers(model, shape);
  return first_layers(shape);
}

std::vector<LayerPointer> begin_image_network(std::string_view model, const ProblemShape& shape) {
  check_numbers(model, shape);
  if (shape.input.rank() != 3 || shape.input.elements() == 0) {
    throw Error(ExitCode::configuration,
                fmt::format("model {} takes images of (height, width, channels), but this problem's inputs are {}; "
                            "choose --model=mlp, which takes any shape{}",
                            model, shape.input.text(),
                            shape.input.rank() == 2 ? ", or give the inputs a last axis of one channel" : ""),
                Scope::every_rank);
  }
  if (channels_seem_first(shape.input)) {
    throw Error(ExitCode::configuration,
                fmt::format("model {}: images of {} {}", model, shape.input.text(), kChannelsLastCure),
                Scope::every_rank);
  }
  return first_layers(shape);
}

}  // namespace lockstep

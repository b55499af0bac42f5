#include <fmt/format.h>

#include "model/layer_memory.h"
#include "model/layers.h"

namespace lockstep {
namespace {

enum class Over {
  channels,  // each position by itself: layer norm
  sample,    // all positions and a group of channels: group norm
};

class Norm final : public Layer {
 public:
  Norm(Over over, std::int64_t groups, LayerNormOptions options)
      : over_(over), options_(std::move(options)), groups_(groups) {}

  Shape declare(const Shape& input, Declaration& declaration) override {
    channels_ = input.rank() == 0 ? 0 : input[input.rank() - 1];
    if (groups_ < 1 || channels_ < 1 || channels_ % groups_ != 0) {
      throw Error(ExitCode::configuration,
                  fmt::format("a {} over {} groups does not fit {}: the last axis has to be a multiple of the groups",
                              kind(), groups_, input.text()),
                  Scope::every_rank);
    }
    positions_ = over_ == Over::channels ? 1 : input.elements() / channels_;
    const int number = declaration.next_layer();
    const std::string name = options_.name.empty() ? fmt::format("{}_{}", kind(), number) : options_.name;
    scale_ = declaration.variable(name + "/scale", {channels_}, Initializer::ones(), false);
    if (options_.has_shift) declaration.variable(name + "/shift", {channels_}, Initializer::zeros(), false);
    return input;
  }

  Tensor forward(const Tensor& input, Pass& pass) override {
    Backend& backend = pass.backend;
    input_ = input.reshaped({input.count() / (positions_ * channels_), positions_, channels_});
    const Shape statistics{input_.shape()[0], groups_};
    mean_ = mean_memory_.get(pass, input.dtype(), statistics);
    inverse_stddev_ = stddev_memory_.get(pass, input.dtype(), statistics);
    const DType output_dtype = options_.feeds_products ? pass.parameters.product_dtype() : input.dtype();
    const Tensor output = output_memory_.get(pass, output_dtype, input.shape());
    // Memory is zeros at first, and these are never written.
    const Tensor shift = options_.has_shift ? pass.parameters.value(scale_ + 1)
                                            : no_shift_memory_.get(backend, input.dtype(), {channels_});
    backend.normalize(options_.epsilon, input_, pass.parameters.value(scale_), shift, output.reshaped(input_.shape()),
                      mean_, inverse_stddev_);
    return output;
  }

  Tensor backward(const Tensor& output_gradient, InputGradient input_gradient, Pass& pass) override {
    const ParameterStore& parameters = pass.parameters;
    const Tensor gradient = input_gradient == InputGradient::needed ? output_gradient : Tensor();  // in place
    const Tensor shift_gradient = options_.has_shift ? parameters.gradient(scale_ + 1)
                                                     : unused_memory_.get(pass, output_gradient.dtype(), {channels_});
    pass.backend.normalize_backward(input_, parameters.value(scale_), mean_, inverse_stddev_,
                                    output_gradient.reshaped(input_.shape()), gradient, parameters.gradient(scale_),
                                    shift_gradient);
    const int end = scale_ + (options_.has_shift ? 2 : 1);
    if (pass.on_gradient_ready) pass.on_gradient_ready(parameters.table().padded(scale_, end));
    return gradient;
  }

  // The gradient takes the memory of the output's gradient.
  std::int64_t bytes_per_sample(const LayerPlace& place) const override {
    const std::int64_t statistics = 2 * groups_ * place.input.elements() / (positions_ * channels_);
    return sample_bytes(place.output, options_.feeds_products ? place.products : DType::float32) +
           sample_bytes({statistics});
  }

 private:
  const char* kind() const { return over_ == Over::channels ? "layer_norm" : "group_norm"; }

  Over over_;
  LayerNormOptions options_;
  std::int64_t groups_;
  std::int64_t channels_ = 0;
  std::int64_t positions_ = 0;  // positions that share a mean
  int scale_ = 0;               // the shift, if there is one, comes next
  Tensor input_;                // (M, P, C), the previous layer's output
  Tensor mean_;                 // (M, G)
  Tensor inverse_stddev_;       // (M, G)
  LayerMemory mean_memory_;
  LayerMemory stddev_memory_;
  LayerMemory output_memory_;
  LayerMemory no_shift_memory_;
  LayerMemory unused_memory_;  // for the gradient of a missing shift
};

}  // namespace

LayerPointer make_layer_norm(const LayerNormOptions& options) {
  return std::make_unique<Norm>(Over::channels, 1, options);
}

LayerPointer make_group_norm(std::int64_t groups) {
  return std::make_unique<Norm>(Over::sample, groups, LayerNormOptions{});
}

}  // namespace lockstep

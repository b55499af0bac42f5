#include <fmt/format.h>

#include "model/layer_memory.h"
#include "model/layers.h"

namespace lockstep {
namespace {

constexpr double kEpsilon = 1e-5;  // added to the variance: the papers', and small for inputs of any use

enum class Over {
  channels,  // of each position by itself: layer norm
  sample,    // all positions and a group of channels: group norm
};

class Norm final : public Layer {
 public:
  Norm(Over over, std::int64_t groups) : over_(over), groups_(groups) {}

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
    scale_ = declaration.variable(fmt::format("{}_{}/scale", kind(), number), {channels_}, Initializer::ones(), false);
    shift_ = declaration.variable(fmt::format("{}_{}/shift", kind(), number), {channels_}, Initializer::zeros(), false);
    return input;
  }

  Tensor forward(const Tensor& input, Pass& pass) override {
    Backend& backend = pass.backend;
    input_ = input.reshaped({input.count() / (positions_ * channels_), positions_, channels_});
    const Shape statistics{input_.shape()[0], groups_};
    mean_ = mean_memory_.get(backend, input.dtype(), statistics);
    inverse_stddev_ = stddev_memory_.get(backend, input.dtype(), statistics);
    const Tensor output = output_memory_.get(backend, input.dtype(), input.shape());
    backend.normalize(kEpsilon, input_, pass.parameters.value(scale_), pass.parameters.value(shift_),
                      output.reshaped(input_.shape()), mean_, inverse_stddev_);
    return output;
  }

  Tensor backward(const Tensor& output_gradient, InputGradient input_gradient, Pass& pass) override {
    const ParameterStore& parameters = pass.parameters;
    Tensor gradient;
    if (input_gradient == InputGradient::needed) {
      gradient = gradient_memory_.get(pass.backend, output_gradient.dtype(), output_gradient.shape());
    }
    pass.backend.normalize_backward(input_, parameters.value(scale_), mean_, inverse_stddev_,
                                    output_gradient.reshaped(input_.shape()), gradient, parameters.gradient(scale_),
                                    parameters.gradient(shift_));
    if (pass.on_gradient_ready) pass.on_gradient_ready(parameters.table().padded(scale_, shift_ + 1));
    return gradient;
  }

 private:
  const char* kind() const { return over_ == Over::channels ? "layer_norm" : "group_norm"; }

  Over over_;
  std::int64_t groups_;
  std::int64_t channels_ = 0;
  std::int64_t positions_ = 0;  // that share a mean
  int scale_ = 0;
  int shift_ = 0;
  Tensor input_;           // (M, P, C), the layer before's
  Tensor mean_;            // (M, G)
  Tensor inverse_stddev_;  // (M, G)
  LayerMemory mean_memory_;
  LayerMemory stddev_memory_;
  LayerMemory output_memory_;
  LayerMemory gradient_memory_;
};

}  // namespace

LayerPointer make_layer_norm() { return std::make_unique<Norm>(Over::channels, 1); }

LayerPointer make_group_norm(std::int64_t groups) { return std::make_unique<Norm>(Over::sample, groups); }

}  // namespace lockstep

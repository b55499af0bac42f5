#include <fmt/format.h>

#include "model/image_window.h"
#include "model/layer_memory.h"
#include "model/layers.h"
#include "model/linear.h"

namespace lockstep {
namespace {

class Convolution final : public Layer {
 public:
  explicit Convolution(const ConvolutionOptions& options) : options_(options) {}

  Shape declare(const Shape& input, Declaration& declaration) override {
    const std::string name = fmt::format("conv_{}", declaration.next_layer());
    const WindowForm window{.height = options_.kernel_height,
                            .width = options_.kernel_width,
                            .stride_y = options_.stride,
                            .stride_x = options_.stride};
    const ImageWindow placed = place_window("the convolution " + name, input, window, options_.padding);
    window_ = placed.window;
    output_ = {placed.out_height, placed.out_width, options_.filters};

    const std::int64_t inputs = window_.height * window_.width * input[2];
    const std::int64_t outputs = window_.height * window_.width * options_.filters;
    kernel_ = declaration.variable(name + "/kernel", {window_.height, window_.width, input[2], options_.filters},
                                   initializer_of(options_.init, inputs, outputs), true);
    bias_ = declaration.variable(name + "/bias", {options_.filters}, Initializer::zeros(), false);
    return output_;
  }

  Tensor forward(const Tensor& input, Pass& pass) override {
    const ParameterStore& parameters = pass.parameters;
    input_ = input;
    const Tensor output = output_memory_.get(pass.backend, parameters.dtype(), output_.with_front(input.shape()[0]));
    pass.backend.convolve(window_, input, parameters.value(kernel_), parameters.value(bias_), output);
    return output;
  }

  Tensor backward(const Tensor& output_gradient, InputGradient input_gradient, Pass& pass) override {
    const ParameterStore& parameters = pass.parameters;
    pass.backend.convolve_backward_kernel(window_, input_, output_gradient, parameters.gradient(kernel_),
                                          parameters.gradient(bias_));
    if (pass.on_gradient_ready) pass.on_gradient_ready(parameters.table().padded(kernel_, bias_ + 1));
    if (input_gradient == InputGradient::not_needed) return {};
    const Tensor gradient = gradient_memory_.get(pass.backend, parameters.dtype(), input_.shape());
    pass.backend.convolve_backward_input(window_, output_gradient, parameters.value(kernel_), gradient);
    return gradient;
  }

 private:
  ConvolutionOptions options_;
  WindowForm window_;
  Shape output_;  // shape of one sample
  int kernel_ = 0;
  int bias_ = 0;
  Tensor input_;  // the previous layer's output
  LayerMemory output_memory_;
  LayerMemory gradient_memory_;
};

void check_at_least_one(const char* what, std::int64_t value) {
  if (value >= 1) return;
  throw Error(ExitCode::usage, fmt::format("a convolution with {} {}; it has to be at least 1", what, value),
              Scope::every_rank);
}

}  // namespace

LayerPointer make_convolution(const ConvolutionOptions& options) {
  check_at_least_one("filters", options.filters);
  check_at_least_one("kernel_height", options.kernel_height);
  check_at_least_one("kernel_width", options.kernel_width);
  check_at_least_one("stride", options.stride);
  return std::make_unique<Convolution>(options);
}

}  // namespace lockstep

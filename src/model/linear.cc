#include <fmt/format.h>

#include "model/layer_memory.h"
#include "model/layers.h"

namespace lockstep {
namespace {

class Linear final : public Layer {
 public:
  Linear(std::int64_t outputs, LinearInit init) : outputs_(outputs), init_(init) {}

  Shape declare(const Shape& input, Declaration& declaration) override {
    input_shape_ = input;
    inputs_ = input.elements();
    const int number = declaration.next_layer();
    const Initializer start = init_ == LinearInit::he_uniform ? Initializer::he_uniform(inputs_)
                                                              : Initializer::glorot_uniform(inputs_, outputs_);
    kernel_ = declaration.variable(fmt::format("linear_{}/kernel", number), {inputs_, outputs_}, start, true);
    bias_ = declaration.variable(fmt::format("linear_{}/bias", number), {outputs_}, Initializer::zeros(), false);
    return {outputs_};
  }

  Tensor forward(const Tensor& input, Pass& pass) override {
    const std::int64_t batch = input.shape()[0];
    input_ = input.reshaped({batch, inputs_});
    const Tensor output = output_memory_.get(pass.backend, pass.parameters.dtype(), {batch, outputs_});
    pass.backend.product(input_, Transpose::no, pass.parameters.value(kernel_), Transpose::no, output, Write::replace,
                         pass.parameters.value(bias_));
    return output;
  }

  Tensor backward(const Tensor& output_gradient, InputGradient input_gradient, Pass& pass) override {
    const ParameterStore& parameters = pass.parameters;
    // d kernel (inputs, outputs) = x^T (inputs, B) * dy (B, outputs); d bias = sum of dy over B
    pass.backend.product(input_, Transpose::yes, output_gradient, Transpose::no, parameters.gradient(kernel_),
                         Write::replace, {});
    pass.backend.sum_rows(output_gradient, parameters.gradient(bias_));
    if (pass.on_gradient_ready) pass.on_gradient_ready(parameters.table().padded(kernel_, bias_ + 1));
    if (input_gradient == InputGradient::not_needed) return {};
    // dx (B, inputs) = dy (B, outputs) * kernel^T (outputs, inputs)
    const Tensor gradient = gradient_memory_.get(pass.backend, parameters.dtype(), input_.shape());
    pass.backend.product(output_gradient, Transpose::no, parameters.value(kernel_), Transpose::yes, gradient,
                         Write::replace, {});
    return gradient.reshaped(input_shape_.with_front(input_.shape()[0]));
  }

 private:
  Shape input_shape_;  // of one sample
  std::int64_t inputs_ = 0;
  std::int64_t outputs_;
  LinearInit init_;
  int kernel_ = 0;
  int bias_ = 0;
  Tensor input_;  // (B, inputs), the layer before's
  LayerMemory output_memory_;
  LayerMemory gradient_memory_;
};

}  // namespace

LayerPointer make_linear(std::int64_t outputs, LinearInit init) { return std::make_unique<Linear>(outputs, init); }

}  // namespace lockstep

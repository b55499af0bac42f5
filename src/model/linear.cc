#include <fmt/format.h>

#include <optional>
#include <string>

#include "model/layer_memory.h"
#include "model/layers.h"
#include "model/product_operand.h"

namespace lockstep {
namespace {

class Linear final : public Layer {
 public:
  Linear(std::int64_t outputs, LinearInit init) : outputs_(outputs), init_(init) {}
  explicit Linear(const LinearOptions& options)
      : outputs_(options.outputs), start_(options.kernel), name_(options.name), has_bias_(options.has_bias) {}

  Shape declare(const Shape& input, Declaration& declaration) override {
    input_shape_ = input;
    inputs_ = input.elements();
    const int number = declaration.next_layer();
    const std::string name = name_.empty() ? fmt::format("linear_{}", number) : name_;
    kernel_ = declaration.variable(name + "/kernel", {inputs_, outputs_}, start_ ? *start_ : of_init(), true);
    if (has_bias_) declaration.variable(name + "/bias", {outputs_}, Initializer::zeros(), false);
    return {outputs_};
  }

  Tensor forward(const Tensor& input, Pass& pass) override {
    restore(input, pass);
    const Tensor output = output_memory_.get(pass, pass.parameters.dtype(), {input.shape()[0], outputs_});
    pass.backend.product(input_, Transpose::no, pass.parameters.product_value(kernel_), Transpose::no, output,
                         Write::replace, has_bias_ ? pass.parameters.value(kernel_ + 1) : Tensor());
    return output;
  }

  void restore(const Tensor& input, Pass& pass) override {
    input_ = product_operand(input.reshaped({input.shape()[0], inputs_}), input_copy_, pass);
  }

  Tensor backward(const Tensor& output_gradient, InputGradient input_gradient, Pass& pass) override {
    const ParameterStore& parameters = pass.parameters;
    const Tensor dy = product_operand(output_gradient, gradient_copy_, pass);
    // d kernel (inputs, outputs) = x^T (inputs, B) * dy (B, outputs); d bias = sum of dy over B
    pass.backend.product(input_, Transpose::yes, dy, Transpose::no, parameters.gradient(kernel_), Write::replace, {});
    if (has_bias_) pass.backend.sum_rows(dy, parameters.gradient(kernel_ + 1));
    const int end = kernel_ + (has_bias_ ? 2 : 1);
    if (pass.on_gradient_ready) pass.on_gradient_ready(parameters.table().padded(kernel_, end));
    if (input_gradient == InputGradient::not_needed) return {};
    // dx (B, inputs) = dy (B, outputs) * kernel^T (outputs, inputs)
    const Tensor gradient = gradient_memory_.get(pass, parameters.dtype(), input_.shape());
    pass.backend.product(dy, Transpose::no, parameters.product_value(kernel_), Transpose::yes, gradient, Write::replace,
                         {});
    return gradient.reshaped(input_shape_.with_front(input_.shape()[0]));
  }

 private:
  Initializer of_init() const {
    return init_ == LinearInit::he_uniform ? Initializer::he_uniform(inputs_)
                                           : Initializer::glorot_uniform(inputs_, outputs_);
  }

  Shape input_shape_;  // of one sample
  std::int64_t inputs_ = 0;
  std::int64_t outputs_;
  LinearInit init_ = LinearInit::glorot_uniform;
  std::optional<Initializer> start_{};  // instead of what init_ says
  std::string name_{};
  bool has_bias_ = true;
  int kernel_ = 0;  // the bias, if there is one, comes next
  Tensor input_;    // (B, inputs), the layer before's or a copy of it
  LayerMemory input_copy_;
  LayerMemory gradient_copy_;
  LayerMemory output_memory_;
  LayerMemory gradient_memory_;
};

}  // namespace

LayerPointer make_linear(std::int64_t outputs, LinearInit init) { return std::make_unique<Linear>(outputs, init); }

LayerPointer make_linear(const LinearOptions& options) { return std::make_unique<Linear>(options); }

}  // namespace lockstep

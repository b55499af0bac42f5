#include "model/linear.h"

#include <fmt/format.h>

#include "model/product_operand.h"

namespace lockstep {

Initializer initializer_of(LinearInit init, std::int64_t inputs, std::int64_t outputs) {
  if (init == LinearInit::he_uniform) return Initializer::he_uniform(inputs);
  Initializer glorot = Initializer::glorot_uniform(inputs, outputs);
  if (init == LinearInit::tenth_of_glorot) glorot.limit /= 10;
  return glorot;
}

Shape Linear::declare(const Shape& input, Declaration& declaration) {
  input_shape_ = input;
  inputs_ = input.elements();
  const int number = declaration.next_layer();
  const std::string name = name_.empty() ? fmt::format("linear_{}", number) : name_;
  const Initializer first = start_ ? *start_ : initializer_of(init_, inputs_, outputs_);
  kernel_ = declaration.variable(name + "/kernel", {inputs_, outputs_}, first, true);
  if (has_bias_) declaration.variable(name + "/bias", {outputs_}, Initializer::zeros(), false);
  return {outputs_};
}

Tensor Linear::forward(const Tensor& input, Pass& pass) {
  restore(input, pass);
  const Tensor output = output_memory_.get(pass, pass.parameters.dtype(), output_shape());
  pass.backend.product(input_, Transpose::no, kernel(pass), Transpose::no, output, Write::replace, bias(pass));
  return output;
}

void Linear::restore(const Tensor& input, Pass& pass) {
  input_ = product_operand(input.reshaped({input.shape()[0], inputs_}), input_copy_, pass);
}

Tensor Linear::backward(const Tensor& output_gradient, InputGradient input_gradient, Pass& pass) {
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
  pass.backend.product(dy, Transpose::no, kernel(pass), Transpose::yes, gradient, Write::replace, {});
  return gradient.reshaped(input_shape_.with_front(input_.shape()[0]));
}

std::int64_t Linear::bytes_per_sample(const LayerPlace& place) const {
  return output_and_gradient_bytes(place) + operand_bytes(place.input, place) + operand_bytes(place.output, place);
}

LayerPointer make_linear(std::int64_t outputs, LinearInit init) { return std::make_unique<Linear>(outputs, init); }

LayerPointer make_linear(const LinearOptions& options) { return std::make_unique<Linear>(options); }

}  // namespace lockstep

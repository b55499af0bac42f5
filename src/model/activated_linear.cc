#include "model/activated_linear.h"

#include "model/activation.h"

namespace lockstep {

Shape ActivatedLinear::declare(const Shape& input, Declaration& declaration) {
  const Shape output = linear_->declare(input, declaration);
  declaration.next_layer();  // the activation
  if (options_.dropout) draws_.layer = declaration.next_layer();
  return output;
}

// These are often the widest rows of a network: a ReLU overwrites its input, as its slope can be seen in its output,
// and dropout overwrites the output of any activation. Output that goes straight into a product is written in the
// product's operand type.
Tensor ActivatedLinear::forward(const Tensor& input, Pass& pass) {
  linear_->restore(input, pass);
  const bool drops = draws_.drops(pass);
  const DType dtype = options_.feeds_products && !drops ? pass.parameters.product_dtype() : pass.parameters.dtype();
  const DType x_dtype = pass.backend.activation_input_type(options_.activation, dtype);
  const Shape shape = linear_->output_shape();
  y_ = y_memory_.get(pass, dtype, shape);
  const bool replaces = options_.activation == Activation::relu && dtype == x_dtype;
  x_ = replaces ? y_ : x_memory_.get(pass, x_dtype, shape);
  pass.backend.product_with_activation(options_.activation, linear_->input(), linear_->kernel(pass),
                                       linear_->bias(pass), x_, y_);
  if (drops) pass.backend.dropout(draws_.rate, draws_.stream(pass), pass.row_ids, y_, y_);
  return y_;
}

// The gradient is written as products take it, rounded once: the bias sums the bfloat16 gradient too, in float32.
Tensor ActivatedLinear::backward(const Tensor& output_gradient, InputGradient input_gradient, Pass& pass) {
  if (draws_.drops(pass)) {
    pass.backend.dropout(draws_.rate, draws_.stream(pass), pass.row_ids, output_gradient, output_gradient);
  }
  const DType dtype = pass.parameters.product_dtype();
  const Tensor gradient =
      dtype == output_gradient.dtype() ? output_gradient : gradient_memory_.get(pass, dtype, output_gradient.shape());
  pass.backend.activate_backward(options_.activation, x_, y_, output_gradient, gradient);
  return linear_->backward(gradient, input_gradient, pass);
}

// The linear layer counts its output, which is x_.
std::int64_t ActivatedLinear::bytes_per_sample(const LayerPlace& place) const {
  const std::int64_t x = options_.activation == Activation::relu ? 0 : sample_bytes(place.output);
  return x + linear_->bytes_per_sample(place);
}

LayerPointer join_activation(LayerPointer& linear, LayerPointer& activation) {
  const auto* const front = dynamic_cast<const Linear*>(linear.get());
  const auto* const after = dynamic_cast<const ActivationLayer*>(activation.get());
  if (front == nullptr || after == nullptr) return nullptr;
  return std::make_unique<ActivatedLinear>(std::unique_ptr<Linear>(static_cast<Linear*>(linear.release())),
                                           ActivatedLinearOptions{.activation = after->activation()});
}

}  // namespace lockstep

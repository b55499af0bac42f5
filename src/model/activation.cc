#include "model/activation.h"

namespace lockstep {

Shape ActivationLayer::declare(const Shape& input, Declaration& declaration) {
  declaration.next_layer();
  return input;
}

Tensor ActivationLayer::forward(const Tensor& input, Pass& pass) {
  input_ = input;
  output_ = output_memory_.get(pass, input.dtype(), input.shape());
  pass.backend.activate(activation_, input_, output_);
  return output_;
}

Tensor ActivationLayer::backward(const Tensor& output_gradient, InputGradient input_gradient, Pass& pass) {
  if (input_gradient == InputGradient::not_needed) return {};
  pass.backend.activate_backward(activation_, input_, output_, output_gradient, output_gradient);
  return output_gradient;
}

// The gradient takes the memory of the output's gradient.
std::int64_t ActivationLayer::bytes_per_sample(const LayerPlace& place) const { return sample_bytes(place.output); }

LayerPointer make_activation(Activation activation) { return std::make_unique<ActivationLayer>(activation); }

}  // namespace lockstep

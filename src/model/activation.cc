#include "model/layer_memory.h"
#include "model/layers.h"

namespace lockstep {
namespace {

class ActivationLayer final : public Layer {
 public:
  explicit ActivationLayer(Activation activation) : activation_(activation) {}

  Known known_as() const override { return activation_ == Activation::relu ? Known::relu : Known::other; }

  Shape declare(const Shape& input, Declaration& declaration) override {
    declaration.next_layer();
    return input;
  }

  Tensor forward(const Tensor& input, Pass& pass) override {
    input_ = input;
    output_ = output_memory_.get(pass, input.dtype(), input.shape());
    pass.backend.activate(activation_, input_, output_);
    return output_;
  }

  Tensor backward(const Tensor& output_gradient, InputGradient input_gradient, Pass& pass) override {
    if (input_gradient == InputGradient::not_needed) return {};
    pass.backend.activate_backward(activation_, input_, output_, output_gradient, output_gradient);
    return output_gradient;
  }

 private:
  Activation activation_;
  Tensor input_;
  Tensor output_;
  LayerMemory output_memory_;
};

}  // namespace

LayerPointer make_activation(Activation activation) { return std::make_unique<ActivationLayer>(activation); }

}  // namespace lockstep

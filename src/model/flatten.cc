#include "model/layers.h"

namespace lockstep {
namespace {

class Flatten final : public Layer {
 public:
  Shape declare(const Shape& input, Declaration& declaration) override {
    declaration.next_layer();
    input_ = input;
    return {input.elements()};
  }

  Tensor forward(const Tensor& input, Pass& /*pass*/) override {
    batch_ = input.shape()[0];
    return input.reshaped({batch_, input_.elements()});
  }

  Tensor backward(const Tensor& output_gradient, InputGradient input_gradient, Pass& /*pass*/) override {
    if (input_gradient == InputGradient::not_needed) return {};
    return output_gradient.reshaped(input_.with_front(batch_));
  }

  std::int64_t bytes_per_sample(const LayerPlace& /*place*/) const override { return 0; }

 private:
  Shape input_;  // shape of one sample
  std::int64_t batch_ = 0;
};

}  // namespace

LayerPointer make_flatten() { return std::make_unique<Flatten>(); }

}  // namespace lockstep

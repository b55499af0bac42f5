#pragma once

#include "model/layer_memory.h"
#include "model/layers.h"

namespace lockstep {

// The layer of make_activation(). join_activation() knows this class.
class ActivationLayer final : public Layer {
 public:
  explicit ActivationLayer(Activation activation) : activation_(activation) {}

  Activation activation() const { return activation_; }
  Known known_as() const override { return activation_ == Activation::relu ? Known::relu : Known::other; }

  Shape declare(const Shape& input, Declaration& declaration) override;
  Tensor forward(const Tensor& input, Pass& pass) override;
  Tensor backward(const Tensor& output_gradient, InputGradient input_gradient, Pass& pass) override;
  std::int64_t bytes_per_sample(const LayerPlace& place) const override;

 private:
  Activation activation_;
  Tensor input_;
  Tensor output_;
  LayerMemory output_memory_;
};

}  // namespace lockstep

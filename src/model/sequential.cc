#include "model/layers.h"

namespace lockstep {
namespace {

class Sequential final : public Layer {
 public:
  // A ReLU before a maximum pooling computes the same bits after it, gradients as well, from a quarter of the
  // elements or less: the largest stays the largest, and where it is not above zero its gradient is zero anyway.
  explicit Sequential(std::vector<LayerPointer> layers) : layers_(std::move(layers)) {
    for (std::size_t i = 0; i + 1 < layers_.size(); ++i) {
      if (layers_[i]->known_as() == Known::relu && layers_[i + 1]->known_as() == Known::max_pooling) {
        std::swap(layers_[i], layers_[i + 1]);
      }
    }
  }

  Shape declare(const Shape& input, Declaration& declaration) override {
    Shape shape = input;
    const int learned_in_front = declaration.trainable();
    for (const LayerPointer& layer : layers_) {
      asked_.push_back(declaration.trainable() > learned_in_front ? InputGradient::needed : InputGradient::not_needed);
      shape = layer->declare(shape, declaration);
    }
    return shape;
  }

  Tensor forward(const Tensor& input, Pass& pass) override {
    Tensor x = input;
    for (const LayerPointer& layer : layers_) x = layer->forward(x, pass);
    return x;
  }

  Tensor backward(const Tensor& output_gradient, InputGradient input_gradient, Pass& pass) override {
    Tensor gradient = output_gradient;
    for (std::size_t i = layers_.size(); i-- > 0;) {
      const bool needed = input_gradient == InputGradient::needed || asked_[i] == InputGradient::needed;
      gradient = layers_[i]->backward(gradient, needed ? InputGradient::needed : InputGradient::not_needed, pass);
    }
    return gradient;
  }

 private:
  std::vector<LayerPointer> layers_;
  // Of each layer, whether a layer before it learns from its input's gradient. After a standardization or a flattening
  // that comes first none does, and the first real layer saves a product.
  std::vector<InputGradient> asked_;
};

}  // namespace

LayerPointer make_sequential(std::vector<LayerPointer> layers) {
  return std::make_unique<Sequential>(std::move(layers));
}

}  // namespace lockstep

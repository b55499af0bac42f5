#include "model/layers.h"

namespace lockstep {
namespace {

class Sequential final : public Layer {
 public:
  explicit Sequential(std::vector<LayerPointer> layers) : layers_(std::move(layers)) {}

  Shape declare(const Shape& input, Declaration& declaration) override {
    Shape shape = input;
    for (const LayerPointer& layer : layers_) shape = layer->declare(shape, declaration);
    return shape;
  }

  Tensor forward(const Tensor& input, Pass& pass) override {
    Tensor x = input;
    for (const LayerPointer& layer : layers_) x = layer->forward(x, pass);
    return x;
  }

  Tensor backward(const Tensor& output_gradient, InputGradient input_gradient, Pass& pass) override {
    Tensor gradient = output_gradient;
    for (auto layer = layers_.rbegin(); layer != layers_.rend(); ++layer) {
      const bool first = std::next(layer) == layers_.rend();
      gradient = (*layer)->backward(gradient, first ? input_gradient : InputGradient::needed, pass);
    }
    return gradient;
  }

 private:
  std::vector<LayerPointer> layers_;
};

}  // namespace

LayerPointer make_sequential(std::vector<LayerPointer> layers) {
  return std::make_unique<Sequential>(std::move(layers));
}

}  // namespace lockstep

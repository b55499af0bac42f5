#include <fmt/format.h>

#include "model/image_window.h"
#include "model/layer_memory.h"
#include "model/layers.h"

namespace lockstep {
namespace {

// Slides a window that a subclass's declare() places.
class PoolingLayer : public Layer {
 public:
  explicit PoolingLayer(Pooling pooling) : pooling_(pooling) {}

  Known known_as() const override { return pooling_ == Pooling::max ? Known::max_pooling : Known::other; }

  Tensor forward(const Tensor& input, Pass& pass) override {
    input_ = input;
    const std::int64_t batch = input.shape()[0];
    output_ = output_memory_.get(pass.backend, input.dtype(),
                                 {batch, placed_.out_height, placed_.out_width, input.shape()[3]});
    pass.backend.pool(pooling_, placed_.window, input_, output_);
    return output_.reshaped(declared_output_.with_front(batch));
  }

  Tensor backward(const Tensor& output_gradient, InputGradient input_gradient, Pass& pass) override {
    if (input_gradient == InputGradient::not_needed) return {};
    const Tensor gradient = gradient_memory_.get(pass.backend, input_.dtype(), input_.shape());
    pass.backend.pool_backward(pooling_, placed_.window, input_, output_, output_gradient.reshaped(output_.shape()),
                               gradient);
    return gradient;
  }

 protected:
  // Returns the output's shape, which has the channels as its last extent.
  Shape place(const ImageWindow& placed, const Shape& output) {
    placed_ = placed;
    declared_output_ = output;
    return output;
  }

 private:
  Pooling pooling_;
  ImageWindow placed_{};
  Shape declared_output_;  // shape of one sample
  Tensor input_;
  Tensor output_;
  LayerMemory output_memory_;
  LayerMemory gradient_memory_;
};

class WindowPooling final : public PoolingLayer {
 public:
  explicit WindowPooling(const PoolingOptions& options) : PoolingLayer(options.pooling), options_(options) {}

  Shape declare(const Shape& input, Declaration& declaration) override {
    const WindowForm window{
        .height = options_.size, .width = options_.size, .stride_y = options_.stride, .stride_x = options_.stride};
    const ImageWindow placed =
        place_window(fmt::format("pooling (layer {})", declaration.next_layer()), input, window, options_.padding);
    return place(placed, {placed.out_height, placed.out_width, input[2]});
  }

 private:
  PoolingOptions options_;
};

class GlobalAveragePooling final : public PoolingLayer {
 public:
  GlobalAveragePooling() : PoolingLayer(Pooling::average) {}

  Shape declare(const Shape& input, Declaration& declaration) override {
    const std::string name = fmt::format("global average pooling (layer {})", declaration.next_layer());
    const bool image = input.rank() == 3;
    const WindowForm whole{.height = image ? input[0] : 1, .width = image ? input[1] : 1};
    const ImageWindow placed = place_window(name, input, whole, Padding::valid);
    return place(placed, {input[2]});
  }
};

}  // namespace

LayerPointer make_pooling(const PoolingOptions& options) {
  if (options.size < 1 || options.stride < 1) {
    throw Error(
        ExitCode::usage,
        fmt::format("pooling with size {} and stride {}; both have to be at least 1", options.size, options.stride),
        Scope::every_rank);
  }
  return std::make_unique<WindowPooling>(options);
}

LayerPointer make_global_average_pooling() { return std::make_unique<GlobalAveragePooling>(); }

}  // namespace lockstep

#include "model/transformer/recomputed.h"

#include "model/layer_memory.h"

namespace lockstep {
namespace {

class Recomputed final : public Layer {
 public:
  Recomputed(LayerPointer inside, Recomputation& recomputation)
      : inside_(std::move(inside)), recomputation_(recomputation) {}

  Shape declare(const Shape& input, Declaration& declaration) override { return inside_->declare(input, declaration); }

  Tensor forward(const Tensor& input, Pass& pass) override {
    if (!recomputation_.on) return inside_->forward(input, pass);
    input_ = input;
    const WorkingMemory::Frame frame(&recomputation_.memory);
    Pass inside_pass = of_inside(pass);
    const Tensor result = inside_->forward(input, inside_pass);
    const Tensor output = output_memory_.get(pass.backend, result.dtype(), result.shape());
    pass.backend.copy(result, output);
    return output;
  }

  Tensor backward(const Tensor& output_gradient, InputGradient input_gradient, Pass& pass) override {
    if (!recomputation_.on) return inside_->backward(output_gradient, input_gradient, pass);
    const WorkingMemory::Frame frame(&recomputation_.memory);
    Pass inside_pass = of_inside(pass);
    inside_->restore(input_, inside_pass);
    const Tensor gradient = inside_->backward(output_gradient, input_gradient, pass);
    if (!is_given(gradient) || gradient.data() == output_gradient.data()) return gradient;
    const Tensor kept = gradient_memory_.get(pass.backend, gradient.dtype(), gradient.shape());
    pass.backend.copy(gradient, kept);
    return kept;
  }

 private:
  // A pass in the memory that layers share in turn.
  Pass of_inside(const Pass& pass) const {
    Pass inside_pass = pass.without_listener();
    inside_pass.memory = &recomputation_.memory;
    return inside_pass;
  }

  LayerPointer inside_;
  Recomputation& recomputation_;
  Tensor input_;  // the caller's
  LayerMemory output_memory_;
  LayerMemory gradient_memory_;
};

}  // namespace

LayerPointer make_recomputed(LayerPointer inside, Recomputation& recomputation) {
  return std::make_unique<Recomputed>(std::move(inside), recomputation);
}

}  // namespace lockstep

#include <fmt/format.h>

#include "model/layer_memory.h"
#include "model/layers.h"

namespace lockstep {
namespace {

class Residual final : public Layer {
 public:
  Residual(LayerPointer body, LayerPointer shortcut) : body_(std::move(body)), shortcut_(std::move(shortcut)) {}

  Shape declare(const Shape& input, Declaration& declaration) override {
    const Shape output = body_->declare(input, declaration);
    const Shape straight = shortcut_ == nullptr ? input : shortcut_->declare(input, declaration);
    if (output == straight) return output;
    throw Error(
        ExitCode::configuration,
        fmt::format("a residual block adds two outputs of one shape, but on an input of {} its body gives {} "
                    "and its {} {}; {}",
                    input.text(), output.text(), shortcut_ == nullptr ? "input is" : "shortcut", straight.text(),
                    shortcut_ == nullptr ? "give it a shortcut (a 1x1 convolution, say) of the body's shape"
                                         : "let the shortcut have the body's strides and channels"),
        Scope::every_rank);
  }

  // The sum has memory of its own, as the parts may need their outputs again in backward().
  Tensor forward(const Tensor& input, Pass& pass) override {
    const Tensor inner = body_->forward(input, pass);
    const Tensor straight = shortcut_ == nullptr ? input : shortcut_->forward(input, pass);
    const Tensor output = output_memory_.get(pass.backend, inner.dtype(), inner.shape());
    pass.backend.copy(inner, output);
    pass.backend.add(straight, output);
    return output;
  }

  // A sum passes its gradient to both parts. The first of them may overwrite it, so one of them works on a copy.
  Tensor backward(const Tensor& output_gradient, InputGradient input_gradient, Pass& pass) override {
    if (shortcut_ == nullptr && input_gradient == InputGradient::not_needed) {
      return body_->backward(output_gradient, input_gradient, pass);
    }
    const Tensor copied = copy_of(output_gradient, pass.backend);
    const Tensor straight = shortcut_ == nullptr ? copied : shortcut_->backward(copied, input_gradient, pass);
    const Tensor inner = body_->backward(output_gradient, input_gradient, pass);
    if (input_gradient == InputGradient::not_needed) return {};
    pass.backend.add(inner, straight);
    return straight;
  }

  // The sum, a copy of its gradient, and the bytes of the parts.
  std::int64_t bytes_per_sample(const LayerPlace& place) const override {
    const bool copies = shortcut_ != nullptr || place.input_gradient == InputGradient::needed;
    return (copies ? 2 : 1) * sample_bytes(place.output) + body_->bytes_per_sample(place) +
           (shortcut_ == nullptr ? 0 : shortcut_->bytes_per_sample(place));
  }

 private:
  Tensor copy_of(const Tensor& gradient, Backend& backend) {
    if (!is_given(gradient)) return gradient;
    const Tensor copied = gradient_memory_.get(backend, gradient.dtype(), gradient.shape());
    backend.copy(gradient, copied);
    return copied;
  }

  LayerPointer body_;
  LayerPointer shortcut_;  // null: the input itself
  LayerMemory output_memory_;
  LayerMemory gradient_memory_;
};

}  // namespace

LayerPointer make_residual(LayerPointer body, LayerPointer shortcut) {
  return std::make_unique<Residual>(std::move(body), std::move(shortcut));
}

}  // namespace lockstep

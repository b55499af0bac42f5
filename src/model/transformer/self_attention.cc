#include "model/transformer/attention.h"
#include "model/transformer/attention_heads.h"

namespace lockstep {
namespace {

class SelfAttention final : public Layer {
 public:
  SelfAttention(const TransformerOptions& options, const StackPlace& place, Sees sees)
      : width_(options.hidden_size),
        heads_(options, sees == Sees::rows_before),
        in_(make_heads_input(options, place.name + "/qkv", 3)),
        out_(make_heads_output(options, place)) {}

  Shape declare(const Shape& input, Declaration& declaration) override {
    heads_.declare(declaration);
    in_->declare(input, declaration);
    return out_->declare({width_}, declaration);
  }

  Tensor forward(const Tensor& input, Pass& pass) override {
    heads_.sequences().clear();
    for (const SequenceRows& rows : pass.sequences) {
      heads_.sequences().push_back({rows.begin, rows.end, rows.begin, rows.end});
    }
    return out_->forward(heads_.forward(parts_of(in_->forward(input, pass)), pass), pass);
  }

  Tensor backward(const Tensor& output_gradient, InputGradient input_gradient, Pass& pass) override {
    const Tensor gradient = out_->backward(output_gradient, InputGradient::needed, pass);
    const Shape shape{gradient.shape()[0], 3 * width_};
    const Tensor of_parts = gradient_memory_.get(pass, pass.parameters.product_dtype(), shape);
    heads_.backward(gradient, parts_of(of_parts), pass);
    return in_->backward(of_parts, input_gradient, pass);
  }

 private:
  AttentionOperands parts_of(const Tensor& matrix) const {
    return {.q = {matrix, 0}, .k = {matrix, width_}, .v = {matrix, 2 * width_}};
  }

  std::int64_t width_;
  AttentionHeads heads_;
  LayerPointer in_;
  LayerPointer out_;
  LayerMemory gradient_memory_;
};

}  // namespace

LayerPointer make_self_attention(const TransformerOptions& options, const StackPlace& place, Sees sees) {
  return std::make_unique<SelfAttention>(options, place, sees);
}

}  // namespace lockstep

#include "model/transformer/attention.h"
#include "model/transformer/attention_heads.h"

namespace lockstep {
namespace {

class CrossAttention final : public Layer {
 public:
  CrossAttention(const TransformerOptions& options, const StackPlace& place, EncoderRows& encoder)
      : width_(options.hidden_size),
        encoder_(encoder),
        heads_(options, false),
        queries_(make_heads_input(options, place.name + "/q", 1)),
        keys_and_values_(make_heads_input(options, place.name + "/kv", 2)),
        out_(make_heads_output(options, place)) {}

  Shape declare(const Shape& input, Declaration& declaration) override {
    heads_.declare(declaration);
    queries_->declare(input, declaration);
    keys_and_values_->declare({width_}, declaration);
    return out_->declare({width_}, declaration);
  }

  Tensor forward(const Tensor& input, Pass& pass) override {
    heads_.sequences().clear();
    for (const SequenceRows& rows : pass.sequences) {
      heads_.sequences().push_back({rows.begin, rows.end, rows.source_begin, rows.source_end});
    }
    const Tensor queries = queries_->forward(input, pass);
    return out_->forward(heads_.forward(parts_of(queries, keys_and_values_->forward(encoder_.rows, pass)), pass), pass);
  }

  Tensor backward(const Tensor& output_gradient, InputGradient input_gradient, Pass& pass) override {
    const Tensor gradient = out_->backward(output_gradient, InputGradient::needed, pass);
    const DType dtype = pass.parameters.product_dtype();
    const Tensor of_queries = queries_memory_.get(pass, dtype, {gradient.shape()[0], width_});
    const Tensor of_keys_and_values = keys_and_values_memory_.get(pass, dtype, {encoder_.rows.shape()[0], 2 * width_});
    heads_.backward(gradient, parts_of(of_queries, of_keys_and_values), pass);
    encoder_.add_gradient(keys_and_values_->backward(of_keys_and_values, InputGradient::needed, pass), pass);
    return queries_->backward(of_queries, input_gradient, pass);
  }

 private:
  AttentionOperands parts_of(const Tensor& queries, const Tensor& keys_and_values) const {
    return {.q = {queries, 0}, .k = {keys_and_values, 0}, .v = {keys_and_values, width_}};
  }

  std::int64_t width_;
  EncoderRows& encoder_;
  AttentionHeads heads_;
  LayerPointer queries_;
  LayerPointer keys_and_values_;
  LayerPointer out_;
  LayerMemory queries_memory_;
  LayerMemory keys_and_values_memory_;
};

}  // namespace

void EncoderRows::add_gradient(const Tensor& part, const Pass& pass) {
  if (is_given(gradient)) {
    pass.backend.add(part, gradient);
    return;
  }
  gradient = gradient_memory.get(pass.backend, part.dtype(), part.shape());
  pass.backend.copy(part, gradient);
}

LayerPointer make_cross_attention(const TransformerOptions& options, const StackPlace& place, EncoderRows& encoder) {
  return std::make_unique<CrossAttention>(options, place, encoder);
}

}  // namespace lockstep

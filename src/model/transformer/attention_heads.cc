#include "model/transformer/attention_heads.h"

#include <cmath>

#include "model/layers.h"

namespace lockstep {

LayerPointer make_heads_input(const TransformerOptions& options, const std::string& name, std::int64_t matrices) {
  return make_linear({.outputs = matrices * options.hidden_size,
                      .kernel = kernel_values(options, options.hidden_size, options.hidden_size),
                      .name = name,
                      .has_bias = options.attention_has_bias()});
}

LayerPointer make_heads_output(const TransformerOptions& options, const StackPlace& place) {
  return make_linear({.outputs = options.hidden_size,
                      .kernel = residual_values(options, options.hidden_size, place.layers),
                      .name = place.name + "/output",
                      .has_bias = options.attention_has_bias()});
}

AttentionHeads::AttentionHeads(const TransformerOptions& options, bool causal)
    : shape_{.heads = options.heads, .head_dim = options.hidden_size / options.heads, .causal = causal},
      draws_{.rate = options.attention_dropout} {
  shape_.scale = 1 / std::sqrt(static_cast<double>(shape_.head_dim));
}

Tensor AttentionHeads::forward(const AttentionOperands& inputs, Pass& pass) {
  const Tensor& queries = inputs.q.matrix;
  const std::int64_t rows = queries.shape()[0];
  inputs_ = inputs;
  shape_.factors = pass.parameters.product_dtype() == DType::bfloat16 ? DType::bfloat16 : DType::float32;
  output_ = output_memory_.get(pass, pass.parameters.product_dtype(), {rows, shape_.heads * shape_.head_dim});
  log_sums_ = sums_memory_.get(pass, queries.dtype(), {rows, shape_.heads});
  pass.backend.attend(shape_, dropout(pass), sequences_, inputs_, output_, log_sums_);
  return output_;
}

void AttentionHeads::backward(const Tensor& gradient, const AttentionOperands& gradients, Pass& pass) {
  pass.backend.attend_backward(shape_, dropout(pass), sequences_, inputs_, output_, log_sums_, gradient, gradients);
}

AttentionDropout AttentionHeads::dropout(const Pass& pass) const {
  if (!draws_.drops(pass)) return {};
  return {.rate = draws_.rate, .stream = draws_.stream(pass), .row_ids = pass.row_ids};
}

}  // namespace lockstep

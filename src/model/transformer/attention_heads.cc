#include "model/transformer/attention_heads.h"

#include <cmath>

namespace lockstep {

AttentionHeads::AttentionHeads(const TransformerOptions& options, bool causal)
    : shape_{.heads = options.heads, .head_dim = options.hidden_size / options.heads, .causal = causal},
      draws_{.rate = options.attention_dropout} {
  shape_.scale = 1 / std::sqrt(static_cast<double>(shape_.head_dim));
}

Tensor AttentionHeads::forward(const AttentionOperands& inputs, Pass& pass) {
  const Tensor& queries = inputs.q.matrix;
  const std::int64_t rows = queries.shape()[0];
  inputs_ = inputs;
  output_ = output_memory_.get(pass.backend, queries.dtype(), {rows, shape_.heads * shape_.head_dim});
  log_sums_ = sums_memory_.get(pass.backend, queries.dtype(), {rows, shape_.heads});
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

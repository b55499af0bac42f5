#include "tensor/attention_checks.h"

#include <fmt/format.h>

namespace lockstep {
namespace {

void check_columns(const AttentionShape& shape, const AttentionColumns& columns) {
  const std::int64_t width = columns.matrix.shape().without_front().elements();
  LS_CHECK(columns.first >= 0 && columns.first + shape.heads * shape.head_dim <= width,
           fmt::format("attention of {} heads of {} in the columns from {} of {}", shape.heads, shape.head_dim,
                       columns.first, width));
}

void check_operands(const AttentionShape& shape, std::span<const AttentionSequence> sequences,
                    const AttentionOperands& operands) {
  const std::int64_t queries = operands.q.matrix.shape()[0];
  const std::int64_t keys = operands.k.matrix.shape()[0];
  LS_CHECK(operands.v.matrix.shape()[0] == keys, "attention with as many values as keys");
  for (const AttentionColumns& columns : {operands.q, operands.k, operands.v}) check_columns(shape, columns);
  for (const AttentionSequence& s : sequences) {
    LS_CHECK(s.q_begin >= 0 && s.q_end <= queries && s.k_begin >= 0 && s.k_end <= keys,
             fmt::format("attention of rows {} to {} of {} to rows {} to {} of {}", s.q_begin, s.q_end, queries,
                         s.k_begin, s.k_end, keys));
  }
}

// of: the type of queries, keys and values.
void check_type(const AttentionShape& shape, const Tensor& result, DType of) {
  const DType type = shape.factors == DType::bfloat16 ? DType::bfloat16 : of;
  LS_CHECK(result.dtype() == type, fmt::format("attention by factors of {} with results of {}, not {}",
                                               name(shape.factors), name(result.dtype()), name(type)));
}

}  // namespace

void check_sequences(const AttentionShape& shape, std::span<const AttentionSequence> sequences) {
  for (const AttentionSequence& s : sequences) {
    LS_CHECK(s.q_begin <= s.q_end && s.k_begin <= s.k_end, "a sequence ends before it begins");
    LS_CHECK(!shape.causal || (s.q_begin == s.k_begin && s.q_end == s.k_end),
             fmt::format("causal attention is of a sequence to itself, not of queries {} to {} to keys {} to {}",
                         s.q_begin, s.q_end, s.k_begin, s.k_end));
  }
}

void check_attention(const AttentionShape& shape, const AttentionDropout& dropout,
                     std::span<const AttentionSequence> sequences, const AttentionOperands& inputs, const Tensor& out,
                     const Tensor& log_sums) {
  check_sequences(shape, sequences);
  check_operands(shape, sequences, inputs);
  const std::int64_t queries = inputs.q.matrix.shape()[0];
  LS_CHECK(
      out.count() == queries * shape.heads * shape.head_dim && log_sums.count() == queries * shape.heads,
      fmt::format("attention of {} rows with results {} and {}", queries, out.shape().text(), log_sums.shape().text()));
  check_type(shape, out, inputs.q.matrix.dtype());
  LS_CHECK(dropout.rate == 0 || dropout.row_ids.count() == queries, "dropout of attention without an id for each row");
}

void check_attention_gradients(const AttentionShape& shape, std::span<const AttentionSequence> sequences,
                               const Tensor& out, const Tensor& dout, const AttentionOperands& gradients) {
  check_operands(shape, sequences, gradients);
  LS_CHECK(dout.count() == out.count(), "attention's gradient of unlike tensors");
  for (const AttentionColumns& columns : {gradients.q, gradients.k, gradients.v}) {
    check_type(shape, columns.matrix, dout.dtype());
  }
}

}  // namespace lockstep

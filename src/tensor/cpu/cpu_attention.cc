#include <fmt/format.h>

#include "tensor/cpu/attention.h"
#include "tensor/cpu/attention_bfloat16.h"
#include "tensor/cpu/cpu_backend.h"
#include "tensor/cpu/dispatch_dtype.h"

namespace lockstep {
namespace {

// The columns of an operand. REQUIRES: that many of them.
template <class T>
cpu::MatrixRows<T> rows_of(const AttentionColumns& columns, const AttentionShape& shape) {
  const std::int64_t width = width_of(columns.matrix);
  LS_CHECK(columns.first >= 0 && columns.first + shape.heads * shape.head_dim <= width,
           fmt::format("attention of {} heads of {} in the columns from {} of {}", shape.heads, shape.head_dim,
                       columns.first, width));
  T* const data = columns.matrix.as<std::remove_const_t<T>>();
  return {.data = data == nullptr ? nullptr : data + columns.first, .stride = width};
}

template <class T>
cpu::AttentionInputs<T> inputs_of(const AttentionOperands& operands, const AttentionShape& shape) {
  return {.q = rows_of<const T>(operands.q, shape),
          .k = rows_of<const T>(operands.k, shape),
          .v = rows_of<const T>(operands.v, shape)};
}

template <class T>
cpu::AttentionGradients<T> gradients_of(const AttentionOperands& operands, const AttentionShape& shape) {
  return {
      .dq = rows_of<T>(operands.q, shape), .dk = rows_of<T>(operands.k, shape), .dv = rows_of<T>(operands.v, shape)};
}

void check_rows(std::span<const AttentionSequence> sequences, const AttentionOperands& operands) {
  const std::int64_t queries = operands.q.matrix.shape()[0];
  const std::int64_t keys = operands.k.matrix.shape()[0];
  LS_CHECK(operands.v.matrix.shape()[0] == keys, "attention with as many values as keys");
  for (const AttentionSequence& s : sequences) {
    LS_CHECK(s.q_begin >= 0 && s.q_end <= queries && s.k_begin >= 0 && s.k_end <= keys,
             fmt::format("attention of rows {} to {} of {} to rows {} to {} of {}", s.q_begin, s.q_end, queries,
                         s.k_begin, s.k_end, keys));
  }
}

void check_results(const AttentionShape& shape, const AttentionDropout& dropout, const AttentionOperands& operands,
                   const Tensor& out, const Tensor& log_sums) {
  const std::int64_t queries = operands.q.matrix.shape()[0];
  LS_CHECK(
      out.count() == queries * shape.heads * shape.head_dim && log_sums.count() == queries * shape.heads,
      fmt::format("attention of {} rows with results {} and {}", queries, out.shape().text(), log_sums.shape().text()));
  LS_CHECK(dropout.rate == 0 || dropout.row_ids.count() == queries, "dropout of attention without an id for each row");
}

}  // namespace

void CpuBackend::attend(const AttentionShape& shape, const AttentionDropout& dropout,
                        std::span<const AttentionSequence> sequences, const AttentionOperands& inputs,
                        const Tensor& out, const Tensor& log_sums) {
  check_rows(sequences, inputs);
  check_results(shape, dropout, inputs, out, log_sums);
  if (shape.factors == DType::bfloat16) {
    return cpu::attention_bfloat16(shape, dropout, sequences, inputs_of<float>(inputs, shape),
                                   cpu::MatrixRows<float>{.data = out.as<float>(), .stride = width_of(out)},
                                   log_sums.as<float>(), *attention_memory_);
  }
  on_type(out, [&]<class T>(T* to) {
    cpu::attention(shape, dropout, sequences, inputs_of<T>(inputs, shape),
                   cpu::MatrixRows<T>{.data = to, .stride = width_of(out)}, log_sums.as<T>(), *attention_memory_);
  });
}

void CpuBackend::attend_backward(const AttentionShape& shape, const AttentionDropout& dropout,
                                 std::span<const AttentionSequence> sequences, const AttentionOperands& inputs,
                                 const Tensor& out, const Tensor& log_sums, const Tensor& dout,
                                 const AttentionOperands& gradients) {
  check_rows(sequences, inputs);
  check_rows(sequences, gradients);
  check_results(shape, dropout, inputs, out, log_sums);
  LS_CHECK(dout.count() == out.count(), "attention's gradient of unlike tensors");
  if (shape.factors == DType::bfloat16) {
    return cpu::attention_bfloat16_backward(
        shape, dropout, sequences, inputs_of<float>(inputs, shape),
        cpu::MatrixRows<const float>{.data = out.as<float>(), .stride = width_of(out)}, log_sums.as<float>(),
        cpu::MatrixRows<const float>{.data = dout.as<float>(), .stride = width_of(dout)},
        gradients_of<float>(gradients, shape), *attention_memory_);
  }
  on_type(out, [&]<class T>(T* from) {
    cpu::attention_backward(shape, dropout, sequences, inputs_of<T>(inputs, shape),
                            cpu::MatrixRows<const T>{.data = from, .stride = width_of(out)}, log_sums.as<T>(),
                            cpu::MatrixRows<const T>{.data = dout.as<T>(), .stride = width_of(dout)},
                            gradients_of<T>(gradients, shape), *attention_memory_);
  });
}

}  // namespace lockstep

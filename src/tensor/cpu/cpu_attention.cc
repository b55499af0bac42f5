#include "tensor/attention_checks.h"
#include "tensor/cpu/attention.h"
#include "tensor/cpu/attention_bfloat16.h"
#include "tensor/cpu/cpu_backend.h"
#include "tensor/cpu/dispatch_dtype.h"

namespace lockstep {
namespace {

template <class T>
cpu::MatrixRows<T> rows_of(const AttentionColumns& columns) {
  T* const data = columns.matrix.as<std::remove_const_t<T>>();
  return {.data = data == nullptr ? nullptr : data + columns.first, .stride = width_of(columns.matrix)};
}

template <class T>
cpu::AttentionInputs<T> inputs_of(const AttentionOperands& operands) {
  return {.q = rows_of<const T>(operands.q), .k = rows_of<const T>(operands.k), .v = rows_of<const T>(operands.v)};
}

template <class T>
cpu::AttentionGradients<T> gradients_of(const AttentionOperands& operands) {
  return {.dq = rows_of<T>(operands.q), .dk = rows_of<T>(operands.k), .dv = rows_of<T>(operands.v)};
}

}  // namespace

void CpuBackend::attend(const AttentionShape& shape, const AttentionDropout& dropout,
                        std::span<const AttentionSequence> sequences, const AttentionOperands& inputs,
                        const Tensor& out, const Tensor& log_sums) {
  check_attention(shape, dropout, sequences, inputs, out, log_sums);
  if (shape.factors == DType::bfloat16) {
    return cpu::attention_bfloat16(shape, dropout, sequences, inputs_of<float>(inputs),
                                   cpu::MatrixRows<BFloat16>{.data = out.as<BFloat16>(), .stride = width_of(out)},
                                   log_sums.as<float>(), *attention_memory_);
  }
  on_type(out, [&]<class T>(T* to) {
    cpu::attention(shape, dropout, sequences, inputs_of<T>(inputs),
                   cpu::MatrixRows<T>{.data = to, .stride = width_of(out)}, log_sums.as<T>(), *attention_memory_);
  });
}

void CpuBackend::attend_backward(const AttentionShape& shape, const AttentionDropout& dropout,
                                 std::span<const AttentionSequence> sequences, const AttentionOperands& inputs,
                                 const Tensor& out, const Tensor& log_sums, const Tensor& dout,
                                 const AttentionOperands& gradients) {
  check_attention(shape, dropout, sequences, inputs, out, log_sums);
  check_attention_gradients(shape, sequences, out, dout, gradients);
  if (shape.factors == DType::bfloat16) {
    return cpu::attention_bfloat16_backward(
        shape, dropout, sequences, inputs_of<float>(inputs),
        cpu::MatrixRows<const BFloat16>{.data = out.as<BFloat16>(), .stride = width_of(out)}, log_sums.as<float>(),
        cpu::MatrixRows<const float>{.data = dout.as<float>(), .stride = width_of(dout)},
        gradients_of<BFloat16>(gradients), *attention_memory_);
  }
  on_type(out, [&]<class T>(T* from) {
    cpu::attention_backward(shape, dropout, sequences, inputs_of<T>(inputs),
                            cpu::MatrixRows<const T>{.data = from, .stride = width_of(out)}, log_sums.as<T>(),
                            cpu::MatrixRows<const T>{.data = dout.as<T>(), .stride = width_of(dout)},
                            gradients_of<T>(gradients), *attention_memory_);
  });
}

}  // namespace lockstep

#pragma once

#include <span>

#include "tensor/attention.h"

// Requirements of every backend on the arguments of attend and attend_backward. A violation is an internal Error that
// names the numbers.
namespace lockstep {

// Checks sequences by themselves, whatever the matrices.
void check_sequences(const AttentionShape& shape, std::span<const AttentionSequence> sequences);

void check_attention(const AttentionShape& shape, const AttentionDropout& dropout,
                     std::span<const AttentionSequence> sequences, const AttentionOperands& inputs, const Tensor& out,
                     const Tensor& log_sums);

// Further checks, for attend_backward.
void check_attention_gradients(const AttentionShape& shape, std::span<const AttentionSequence> sequences,
                               const Tensor& out, const Tensor& dout, const AttentionOperands& gradients);

}  // namespace lockstep

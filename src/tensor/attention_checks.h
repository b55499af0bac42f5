#pragma once

#include <span>

#include "tensor/attention.h"

// What every backend requires of the arguments of attend and attend_backward. What it lacks is an internal Error that
// names the numbers.
namespace lockstep {

// Sequences by themselves, whatever the matrices.
void check_sequences(const AttentionShape& shape, std::span<const AttentionSequence> sequences);

void check_attention(const AttentionShape& shape, const AttentionDropout& dropout,
                     std::span<const AttentionSequence> sequences, const AttentionOperands& inputs, const Tensor& out,
                     const Tensor& log_sums);

// In addition to the above, of attend_backward.
void check_attention_gradients(const AttentionShape& shape, std::span<const AttentionSequence> sequences,
                               const Tensor& out, const Tensor& dout, const AttentionOperands& gradients);

}  // namespace lockstep

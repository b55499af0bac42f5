#pragma once

#include <span>

#include "tensor/cpu/amx_tiles.h"
#include "tensor/cpu/attention.h"
#include "tensor/half_types.h"

// Attention as in attention.h, with products of bfloat16 and sums of float32: queries (scaled), keys, values, the
// weights after dropout, dout and the gradients of the scores are rounded where they are factors of a product; soft-max
// and sums are float32. Results are rounded to bfloat16, as the next products take them. As in attention.h, memory
// grows with the length, and a sequence's bits do not depend on the others. REQUIRES: a processor with avx512_bf16
// (MatmulProducts::no_bfloat16()).
namespace lockstep::cpu {

enum class PairProducts { vectors, tiles };  // vectors: by avx512_bf16; tiles: by amx_bf16

inline PairProducts fastest_pair_products() {
  return has_bfloat16_tiles() ? PairProducts::tiles : PairProducts::vectors;
}

// `products` is for tests. REQUIRES: a processor with them.
void attention_bfloat16(const AttentionShape& shape, const AttentionDropout& dropout,
                        std::span<const AttentionSequence> sequences, const AttentionInputs<float>& inputs,
                        MatrixRows<BFloat16> out, float* log_sums, AttentionMemory& memory,
                        PairProducts products = fastest_pair_products());

void attention_bfloat16_backward(const AttentionShape& shape, const AttentionDropout& dropout,
                                 std::span<const AttentionSequence> sequences, const AttentionInputs<float>& inputs,
                                 MatrixRows<const BFloat16> out, const float* log_sums, MatrixRows<const float> dout,
                                 const AttentionGradients<BFloat16>& gradients, AttentionMemory& memory,
                                 PairProducts products = fastest_pair_products());

}  // namespace lockstep::cpu

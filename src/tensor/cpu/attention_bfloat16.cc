#include "tensor/cpu/attention_bfloat16.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <utility>

#include "base/error.h"
#include "base/multiversion.h"
#include "tensor/attention_checks.h"
#include "tensor/backend.h"
#include "tensor/cpu/attention_blocks.h"

#if defined(__x86_64__) && !defined(__clang__)
#include <immintrin.h>

namespace lockstep::cpu {
namespace {

using Lanes = FloatsOfRegister<16>::Type;
using Words [[gnu::vector_size(64)]] = std::uint64_t;
constexpr int kTileVectors = 4;

namespace attention_vectors {
#pragma GCC push_options
#pragma GCC target("arch=x86-64-v4,avx512bf16")
// clang-format off
#include "tensor/cpu/attention_parts.inc"
#include "tensor/cpu/attention_pairs.inc"
#include "tensor/cpu/attention_pairs_vectors.inc"
#include "tensor/cpu/attention_pairs_packing.inc"
#include "tensor/cpu/attention_pairs_ahead.inc"
#include "tensor/cpu/attention_pairs_forward.inc"
#include "tensor/cpu/attention_pairs_kept.inc"
#include "tensor/cpu/attention_pairs_backward.inc"
// clang-format on
#pragma GCC pop_options
}  // namespace attention_vectors

namespace attention_tiles {
#pragma GCC push_options
#pragma GCC target("arch=x86-64-v4,avx512bf16,amx-tile,amx-bf16")
// clang-format off
#include "tensor/cpu/attention_parts.inc"
#include "tensor/cpu/attention_pairs.inc"
#include "tensor/cpu/attention_pairs_tiles.inc"
#include "tensor/cpu/attention_pairs_packing.inc"
#include "tensor/cpu/attention_pairs_ahead.inc"
#include "tensor/cpu/attention_pairs_forward.inc"
#include "tensor/cpu/attention_pairs_kept.inc"
#include "tensor/cpu/attention_pairs_backward.inc"
// clang-format on
#pragma GCC pop_options
}  // namespace attention_tiles

}  // namespace

void attention_bfloat16(const AttentionShape& shape, const AttentionDropout& dropout,
                        std::span<const AttentionSequence> sequences, const AttentionInputs<float>& inputs,
                        MatrixRows<float> out, float* log_sums, AttentionMemory& memory, PairProducts products) {
  check_sequences(shape, sequences);
  if (products == PairProducts::tiles) {
    const WholeTiles whole;
    return attention_tiles::forward(shape, dropout, sequences, inputs, out, log_sums, memory);
  }
  attention_vectors::forward(shape, dropout, sequences, inputs, out, log_sums, memory);
}

void attention_bfloat16_backward(const AttentionShape& shape, const AttentionDropout& dropout,
                                 std::span<const AttentionSequence> sequences, const AttentionInputs<float>& inputs,
                                 MatrixRows<const float> out, const float* log_sums, MatrixRows<const float> dout,
                                 const AttentionGradients<float>& gradients, AttentionMemory& memory,
                                 PairProducts products) {
  check_sequences(shape, sequences);
  if (products == PairProducts::tiles) {
    const WholeTiles whole;
    return attention_tiles::backward(shape, dropout, sequences, inputs, out, log_sums, dout, gradients, memory);
  }
  attention_vectors::backward(shape, dropout, sequences, inputs, out, log_sums, dout, gradients, memory);
}

}  // namespace lockstep::cpu

#else

// In float32: more exact, and slower.
namespace lockstep::cpu {

void attention_bfloat16(const AttentionShape& shape, const AttentionDropout& dropout,
                        std::span<const AttentionSequence> sequences, const AttentionInputs<float>& inputs,
                        MatrixRows<float> out, float* log_sums, AttentionMemory& memory, PairProducts /*products*/) {
  attention(shape, dropout, sequences, inputs, out, log_sums, memory);
}

void attention_bfloat16_backward(const AttentionShape& shape, const AttentionDropout& dropout,
                                 std::span<const AttentionSequence> sequences, const AttentionInputs<float>& inputs,
                                 MatrixRows<const float> out, const float* log_sums, MatrixRows<const float> dout,
                                 const AttentionGradients<float>& gradients, AttentionMemory& memory,
                                 PairProducts /*products*/) {
  attention_backward(shape, dropout, sequences, inputs, out, log_sums, dout, gradients, memory);
}

}  // namespace lockstep::cpu
#endif

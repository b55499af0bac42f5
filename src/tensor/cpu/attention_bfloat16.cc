#include "tensor/cpu/attention_bfloat16.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/multiversion.h"
#include "tensor/attention_checks.h"
#include "tensor/backend.h"
#include "tensor/cpu/attention_blocks.h"
#include "tensor/half_types.h"

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
#include "tensor/cpu/attention_pairs_write.inc"
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
#include "tensor/cpu/attention_pairs_write.inc"
#include "tensor/cpu/attention_pairs_forward.inc"
#include "tensor/cpu/attention_pairs_kept.inc"
#include "tensor/cpu/attention_pairs_backward.inc"
// clang-format on
#pragma GCC pop_options
}  // namespace attention_tiles

}  // namespace

void attention_bfloat16(const AttentionShape& shape, const AttentionDropout& dropout,
                        std::span<const AttentionSequence> sequences, const AttentionInputs<float>& inputs,
                        MatrixRows<BFloat16> out, float* log_sums, AttentionMemory& memory, PairProducts products) {
  check_sequences(shape, sequences);
  if (products == PairProducts::tiles) {
    const WholeTiles whole;
    return attention_tiles::forward(shape, dropout, sequences, inputs, out, log_sums, memory);
  }
  attention_vectors::forward(shape, dropout, sequences, inputs, out, log_sums, memory);
}

void attention_bfloat16_backward(const AttentionShape& shape, const AttentionDropout& dropout,
                                 std::span<const AttentionSequence> sequences, const AttentionInputs<float>& inputs,
                                 MatrixRows<const BFloat16> out, const float* log_sums, MatrixRows<const float> dout,
                                 const AttentionGradients<BFloat16>& gradients, AttentionMemory& memory,
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

// Builds for other processors or compilers compute in float32: more exact, and slower.
namespace lockstep::cpu {
namespace {

// The columns of all heads in float32, to be rounded.
class Widened {
 public:
  Widened(const AttentionShape& shape, std::int64_t rows)
      : width_(shape.heads * shape.head_dim), values_(static_cast<std::size_t>(rows * width_)) {}

  MatrixRows<float> rows() { return {.data = values_.data(), .stride = width_}; }
  MatrixRows<const float> constant() const { return {.data = values_.data(), .stride = width_}; }
  void read(const MatrixRows<const BFloat16>& from, std::int64_t begin, std::int64_t end) {
    for (std::int64_t r = begin; r < end; ++r) {
      for (std::int64_t c = 0; c < width_; ++c) *rows().row(r, c) = widened(*from.row(r, c));
    }
  }
  void write(const MatrixRows<BFloat16>& to, std::int64_t begin, std::int64_t end) const {
    for (std::int64_t r = begin; r < end; ++r) {
      for (std::int64_t c = 0; c < width_; ++c) *to.row(r, c) = narrowed<BFloat16>(*constant().row(r, c));
    }
  }

 private:
  std::int64_t width_;
  std::vector<float> values_;
};

std::int64_t rows_of(std::span<const AttentionSequence> sequences) {
  std::int64_t rows = 0;
  for (const AttentionSequence& s : sequences) rows = std::max({rows, s.q_end, s.k_end});
  return rows;
}

}  // namespace

void attention_bfloat16(const AttentionShape& shape, const AttentionDropout& dropout,
                        std::span<const AttentionSequence> sequences, const AttentionInputs<float>& inputs,
                        MatrixRows<BFloat16> out, float* log_sums, AttentionMemory& memory, PairProducts /*products*/) {
  Widened wide(shape, rows_of(sequences));
  attention(shape, dropout, sequences, inputs, wide.rows(), log_sums, memory);
  for (const AttentionSequence& s : sequences) wide.write(out, s.q_begin, s.q_end);
}

void attention_bfloat16_backward(const AttentionShape& shape, const AttentionDropout& dropout,
                                 std::span<const AttentionSequence> sequences, const AttentionInputs<float>& inputs,
                                 MatrixRows<const BFloat16> out, const float* log_sums, MatrixRows<const float> dout,
                                 const AttentionGradients<BFloat16>& gradients, AttentionMemory& memory,
                                 PairProducts /*products*/) {
  const std::int64_t rows = rows_of(sequences);
  Widened wide(shape, rows), dq(shape, rows), dk(shape, rows), dv(shape, rows);
  for (const AttentionSequence& s : sequences) wide.read(out, s.q_begin, s.q_end);
  attention_backward(shape, dropout, sequences, inputs, wide.constant(), log_sums, dout,
                     {.dq = dq.rows(), .dk = dk.rows(), .dv = dv.rows()}, memory);
  for (const AttentionSequence& s : sequences) {
    dq.write(gradients.dq, s.q_begin, s.q_end);
    dk.write(gradients.dk, s.k_begin, s.k_end);
    dv.write(gradients.dv, s.k_begin, s.k_end);
  }
}

}  // namespace lockstep::cpu
#endif

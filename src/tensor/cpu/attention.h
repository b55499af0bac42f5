#pragma once

#include <cstdint>
#include <span>

#include "tensor/attention.h"
#include "tensor/cpu/generation.h"

// Multi-head attention (Vaswani et al. 2017, "Attention is all you need", section 3.2) over packed sequences: rows are
// tokens, no sequence is padded. Row r of head h lies at data + r * stride + h * head_dim, so q, k and v may be parts
// of one (rows, 3 * heads * head_dim) matrix.
//
// Computed in blocks of queries and keys with a running maximum and sum (Milakov and Gimelshein 2018, "Online
// normalizer calculation for softmax"; Dao et al. 2022, "FlashAttention"): working memory grows with the length, not
// with its square, and blocks of keys that no query may see are skipped. One thread; the result of a sequence does not
// depend on the others of the call. Any thread may call, with memory of its own.
namespace lockstep::cpu {

template <class T>
struct MatrixRows {
  T* data = nullptr;
  std::int64_t stride = 0;  // elements from a row to the next

  T* row(std::int64_t index, std::int64_t column) const { return data + index * stride + column; }
};

template <class T>
struct AttentionInputs {
  MatrixRows<const T> q;
  MatrixRows<const T> k;
  MatrixRows<const T> v;
};

template <class T>
struct AttentionGradients {
  MatrixRows<T> dq;
  MatrixRows<T> dk;
  MatrixRows<T> dv;
};

// The working memory of attention (attention_blocks.h). It only grows: after the first call with the longest sequence
// nothing is allocated. One call at a time.
class AttentionMemory;

// out (query rows) = soft-max over the keys of (scale * q k^T), after dropout, times v; zero where there are no keys.
// log_sums (query rows, heads): the logarithm of the sum of exp(scale * q k^T), for the backward pass. Rows of no
// sequence are not written. `generation` is for tests. REQUIRES: a processor of that generation.
void attention(const AttentionShape& shape, const AttentionDropout& dropout,
               std::span<const AttentionSequence> sequences, const AttentionInputs<float>& inputs,
               MatrixRows<float> out, float* log_sums, AttentionMemory& memory,
               Generation generation = newest_generation());
void attention(const AttentionShape& shape, const AttentionDropout& dropout,
               std::span<const AttentionSequence> sequences, const AttentionInputs<double>& inputs,
               MatrixRows<double> out, double* log_sums, AttentionMemory& memory);

// Gradients from dout, replaced: each row that a sequence has is written once. REQUIRES: no two sequences have a row in
// common; gradients overlap neither each other nor what is read.
void attention_backward(const AttentionShape& shape, const AttentionDropout& dropout,
                        std::span<const AttentionSequence> sequences, const AttentionInputs<float>& inputs,
                        MatrixRows<const float> out, const float* log_sums, MatrixRows<const float> dout,
                        const AttentionGradients<float>& gradients, AttentionMemory& memory,
                        Generation generation = newest_generation());
void attention_backward(const AttentionShape& shape, const AttentionDropout& dropout,
                        std::span<const AttentionSequence> sequences, const AttentionInputs<double>& inputs,
                        MatrixRows<const double> out, const double* log_sums, MatrixRows<const double> dout,
                        const AttentionGradients<double>& gradients, AttentionMemory& memory);

}  // namespace lockstep::cpu

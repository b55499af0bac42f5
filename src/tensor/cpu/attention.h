#pragma once

#include <cstdint>
#include <span>

#include "base/random.h"
#include "tensor/cpu/generation.h"

// Multi-head attention (Vaswani et al. 2017, "Attention is all you need", section 3.2) over packed sequences: rows are
// tokens, no sequence is padded. Row r of head h lies at data + r * stride + h * head_dim, so q, k and v may be parts
// of one (rows, 3 * heads * head_dim) matrix.
//
// In blocks of queries and keys with a running maximum and sum (Milakov and Gimelshein 2018, "Online normalizer
// calculation for softmax"; Dao et al. 2022, "FlashAttention"): what is kept beside the results grows with the length,
// not with its square, and blocks of keys that no query may see are skipped. One thread; the result of a sequence does
// not depend on the others of the call. Any thread may call.
namespace lockstep::cpu {

// Queries [q_begin, q_end) see keys [k_begin, k_end). Self-attention: equal ranges.
struct AttentionSequence {
  std::int64_t q_begin = 0;
  std::int64_t q_end = 0;
  std::int64_t k_begin = 0;
  std::int64_t k_end = 0;
  // Dropout: query q_begin + i is row first_row_id + i of the run, below 2^40, whichever rank has it in whichever
  // batch: sample id * longest length + position, for example.
  std::uint64_t first_row_id = 0;
};

struct AttentionShape {
  std::int64_t heads = 1;     // with dropout, below 2^10
  std::int64_t head_dim = 1;  // of queries, keys and values
  double scale = 1;           // of q, before the products with keys
  bool causal = false;        // query i of a sequence sees keys 0 to i alone. REQUIRES: equal ranges
};

// Weights of the soft-max are 0 at this rate, else divided by 1 - rate. The draw for a weight is word key % 4 of block
// (head * 2^22 + key / 4) of the stream whose sample is the query's row id, key counted from k_begin and below 2^24:
// forward and backward see the same masks, whatever the blocks.
struct AttentionDropout {
  double rate = 0;
  RandomStream stream;  // its sample is not used
};

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

// out (query rows) = soft-max over the keys of (scale * q k^T), after dropout, times v; zero where there are no keys.
// log_sums (query rows, heads): the logarithm of the sum of exp(scale * q k^T), for the backward pass. Rows of no
// sequence are not written. `generation` is for tests. REQUIRES: a processor of that generation.
void attention(const AttentionShape& shape, const AttentionDropout& dropout,
               std::span<const AttentionSequence> sequences, const AttentionInputs<float>& inputs,
               MatrixRows<float> out, float* log_sums, Generation generation = newest_generation());
void attention(const AttentionShape& shape, const AttentionDropout& dropout,
               std::span<const AttentionSequence> sequences, const AttentionInputs<double>& inputs,
               MatrixRows<double> out, double* log_sums);

// Gradients from dout, replaced: each row that a sequence has is written once. REQUIRES: no two sequences have a row in
// common; gradients overlap neither each other nor what is read.
void attention_backward(const AttentionShape& shape, const AttentionDropout& dropout,
                        std::span<const AttentionSequence> sequences, const AttentionInputs<float>& inputs,
                        MatrixRows<const float> out, const float* log_sums, MatrixRows<const float> dout,
                        const AttentionGradients<float>& gradients, Generation generation = newest_generation());
void attention_backward(const AttentionShape& shape, const AttentionDropout& dropout,
                        std::span<const AttentionSequence> sequences, const AttentionInputs<double>& inputs,
                        MatrixRows<const double> out, const double* log_sums, MatrixRows<const double> dout,
                        const AttentionGradients<double>& gradients);

}  // namespace lockstep::cpu

#pragma once

#include <cstdint>

#include "base/random.h"
#include "tensor/tensor.h"

// Arguments of Backend::attend. Plain values.
namespace lockstep {

// Queries [q_begin, q_end) see keys [k_begin, k_end). Self-attention: equal ranges.
struct AttentionSequence {
  std::int64_t q_begin = 0;
  std::int64_t q_end = 0;
  std::int64_t k_begin = 0;
  std::int64_t k_end = 0;
};

struct AttentionShape {
  std::int64_t heads = 1;     // number of heads; with dropout below 2^10
  std::int64_t head_dim = 1;  // columns per head of queries, keys and values
  double scale = 1;           // factor of q, before the products with keys
  bool causal = false;        // query i of a sequence sees keys 0 to i alone. REQUIRES: equal ranges
  // The type to which products round queries, keys, values and weights; their sums have the tensors' type. bfloat16:
  // for float32 tensors, if the device has such products; results and gradients of queries, keys and values, which the
  // next products take, are then bfloat16, too.
  DType factors = DType::float32;
};

// Weights of the soft-max become 0 with probability `rate`, else they are divided by 1 - rate. The draw for a weight is
// word key % 4 of block (head * 2^22 + key / 4) of the stream whose sample is the query's row id, counted on from that
// of q_begin, key counted from k_begin and below 2^24: forward and backward see the same masks, whatever the blocks.
struct AttentionDropout {
  double rate = 0;
  RandomStream stream{};  // its sample is not used
  Tensor row_ids{};       // (query rows) int64, below 2^40; only the first of a sequence counts. None at rate 0
};

// Heads side by side: columns [first, first + heads * head_dim) of a matrix (rows, ...), so that queries, keys and
// values may be parts of one product's result.
struct AttentionColumns {
  Tensor matrix;
  std::int64_t first = 0;
};

struct AttentionOperands {
  AttentionColumns q;
  AttentionColumns k;
  AttentionColumns v;
};

}  // namespace lockstep

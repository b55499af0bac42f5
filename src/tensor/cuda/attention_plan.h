#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tensor/attention.h"

// The division of attention among blocks of threads: each has some neighbouring rows of one sequence, for one head.
namespace lockstep {

struct AttentionBlock {
  std::int64_t q_begin = 0;  // the sequence's first rows
  std::int64_t k_begin = 0;
  std::int32_t queries = 0;  // number in the sequence
  std::int32_t keys = 0;
  std::int32_t first = 0;  // the block's first row, counted from q_begin, or from k_begin if its rows are keys
  std::int32_t count = 0;

  bool operator==(const AttentionBlock&) const = default;
};

enum class AttentionRows { queries, keys };

// Blocks of up to `rows` queries, or keys, that cover each row of all sequences once. Those with the most to do come
// first, as a GPU takes blocks in their order and the short ones then fill its last gaps. REQUIRES: sequences shorter
// than 2^31.
std::vector<AttentionBlock> plan_attention(const AttentionShape& shape, std::span<const AttentionSequence> sequences,
                                           AttentionRows of, std::int64_t rows);

}  // namespace lockstep

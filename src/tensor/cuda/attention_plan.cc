#include "tensor/cuda/attention_plan.h"

#include <algorithm>
#include <limits>

#include "base/error.h"

namespace lockstep {
namespace {

// The number of rows of the other kind that a block meets.
std::int64_t met(const AttentionShape& shape, AttentionRows of, const AttentionBlock& block) {
  if (of == AttentionRows::queries) return shape.causal ? block.first + block.count : block.keys;
  return shape.causal ? block.queries - block.first : block.queries;
}

}  // namespace

std::vector<AttentionBlock> plan_attention(const AttentionShape& shape, std::span<const AttentionSequence> sequences,
                                           AttentionRows of, std::int64_t rows) {
  std::vector<AttentionBlock> blocks;
  for (const AttentionSequence& s : sequences) {
    const std::int64_t queries = s.q_end - s.q_begin;
    const std::int64_t keys = s.k_end - s.k_begin;
    LS_CHECK(std::max(queries, keys) < std::numeric_limits<std::int32_t>::max() - rows, "a sequence of 2^31 rows");
    const std::int64_t length = of == AttentionRows::queries ? queries : keys;
    for (std::int64_t first = 0; first < length; first += rows) {
      blocks.push_back({.q_begin = s.q_begin,
                        .k_begin = s.k_begin,
                        .queries = static_cast<std::int32_t>(queries),
                        .keys = static_cast<std::int32_t>(keys),
                        .first = static_cast<std::int32_t>(first),
                        .count = static_cast<std::int32_t>(std::min(rows, length - first))});
    }
  }
  std::ranges::stable_sort(blocks, std::ranges::greater(),
                           [&](const AttentionBlock& block) { return met(shape, of, block); });
  return blocks;
}

}  // namespace lockstep

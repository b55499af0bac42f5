#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tensor/cpu/attention.h"

// How attention.cc goes through one head of one sequence: blocks of queries, and for each of them blocks of keys.
namespace lockstep::cpu {

inline constexpr std::int64_t kAttentionQueries = 64;  // of a block; they lie in the lanes of registers
inline constexpr std::int64_t kAttentionKeys = 64;     // of a block: scores of a block fill half a first-level cache
// Where a causal block of queries meets its own keys, blocks of this many keys leave out the queries before them. A
// multiple of all registers' lanes, and of the four words of a draw.
inline constexpr std::int64_t kDiagonalKeys = 16;

// A matrix that a product reads value by value; which of its steps is 1 tells whether it is taken transposed.
template <class T>
struct Factor {
  const T* data;
  std::int64_t row_step;
  std::int64_t depth_step;
};

// One head of one sequence.
struct AttentionHead {
  AttentionSequence sequence;
  std::int64_t head;
  std::int64_t column;  // its first in all matrices
  std::int64_t queries() const { return sequence.q_end - sequence.q_begin; }
  std::int64_t keys() const { return sequence.k_end - sequence.k_begin; }
};

inline std::int64_t longest_keys(std::span<const AttentionSequence> sequences) {
  std::int64_t longest = 0;
  for (const AttentionSequence& sequence : sequences) longest = std::max(longest, sequence.k_end - sequence.k_begin);
  return longest;
}

// REQUIRES: sequences that attention can take.
void check_sequences(const AttentionShape& shape, std::span<const AttentionSequence> sequences);

struct QueryBlock {
  std::int64_t begin;  // from q_begin
  std::int64_t count;
};

struct KeyBlock {
  std::int64_t begin = 0;  // from k_begin
  std::int64_t count = 0;
  std::int64_t first_query = 0;  // of the block of queries: those before it see none of these keys
  bool diagonal = false;         // query first_query + i sees keys 0 to i of the block

  std::int64_t end() const { return begin + count; }
};

// The keys that some of the queries see.
inline std::int64_t keys_seen(const AttentionShape& shape, const AttentionHead& head, const QueryBlock& queries) {
  return shape.causal ? queries.begin + queries.count : head.keys();
}

// The block of keys from `begin`. REQUIRES: begin < keys_seen
inline KeyBlock key_block(const AttentionShape& shape, const AttentionHead& head, const QueryBlock& queries,
                          std::int64_t begin) {
  const std::int64_t end = keys_seen(shape, head, queries);
  if (shape.causal && begin >= queries.begin) {
    return {.begin = begin,
            .count = std::min(kDiagonalKeys, end - begin),
            .first_query = begin - queries.begin,
            .diagonal = true};
  }
  return {.begin = begin, .count = std::min(kAttentionKeys, (shape.causal ? queries.begin : end) - begin)};
}

// `count` values, zeros at first, from the start of a cache line: a register never lies across two lines.
template <class T>
class AlignedValues {
 public:
  explicit AlignedValues(std::int64_t count) : lines_(static_cast<std::size_t>((count + kOfLine - 1) / kOfLine)) {}
  T* data() { return lines_.data()->values; }

 private:
  static constexpr std::int64_t kOfLine = 64 / sizeof(T);
  struct alignas(64) Line {
    T values[kOfLine];
  };
  std::vector<Line> lines_;
};

}  // namespace lockstep::cpu

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tensor/cpu/attention.h"

// The blocks of one head of one sequence in attention.cc: blocks of queries, and for each of them blocks of keys.
namespace lockstep::cpu {

inline constexpr std::int64_t kAttentionQueries = 64;  // queries of a block; they lie in the lanes of registers
inline constexpr std::int64_t kAttentionKeys = 64;     // keys of a block, whose scores fill half a first-level cache
// The size of the blocks of keys at which a causal block of queries meets its own keys: each leaves out the queries
// before its keys. A multiple of all registers' lanes, and of the four words of a draw, as any other value used for it
// must be.
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
  std::int64_t column;  // the head's first in all matrices
  std::int64_t queries() const { return sequence.q_end - sequence.q_begin; }
  std::int64_t keys() const { return sequence.k_end - sequence.k_begin; }
};

inline std::int64_t longest_keys(std::span<const AttentionSequence> sequences) {
  std::int64_t longest = 0;
  for (const AttentionSequence& sequence : sequences) longest = std::max(longest, sequence.k_end - sequence.k_begin);
  return longest;
}

struct QueryBlock {
  std::int64_t begin;  // relative to q_begin
  std::int64_t count;
};

struct KeyBlock {
  std::int64_t begin = 0;  // relative to k_begin
  std::int64_t count = 0;
  std::int64_t first_query = 0;  // number in the block of queries: those before it see none of these keys
  bool diagonal = false;         // query first_query + i sees keys 0 to i of the block

  std::int64_t end() const { return begin + count; }
};

// The number of keys that at least one of the queries sees.
inline std::int64_t keys_seen(const AttentionShape& shape, const AttentionHead& head, const QueryBlock& queries) {
  return shape.causal ? queries.begin + queries.count : head.keys();
}

// The block of keys from `begin`. REQUIRES: begin < keys_seen
inline KeyBlock key_block(const AttentionShape& shape, const AttentionHead& head, const QueryBlock& queries,
                          std::int64_t begin, std::int64_t diagonal_keys = kDiagonalKeys) {
  const std::int64_t end = keys_seen(shape, head, queries);
  if (shape.causal && begin >= queries.begin) {
    return {.begin = begin,
            .count = std::min(diagonal_keys, end - begin),
            .first_query = begin - queries.begin,
            .diagonal = true};
  }
  return {.begin = begin, .count = std::min(kAttentionKeys, (shape.causal ? queries.begin : end) - begin)};
}

// The working memory of attention. Pieces keep their largest size so far.
class AttentionMemory {
 public:
  // Begins a call, which may take the pieces of the one before again.
  void begin() { taken_ = 0; }
  // `bytes` bytes of zeros, from the start of a cache line on.
  void* take(std::size_t bytes) {
    if (taken_ == pieces_.size()) pieces_.emplace_back();
    std::vector<Line>& piece = pieces_[taken_++];
    piece.assign((bytes + sizeof(Line) - 1) / sizeof(Line), Line{});
    return piece.data();
  }

 private:
  struct alignas(64) Line {
    std::byte bytes[64];
  };
  std::vector<std::vector<Line>> pieces_;
  std::size_t taken_ = 0;
};

// `count` values, zeros at first, from the start of a cache line: a register never lies across two lines.
template <class T>
class AlignedValues {
 public:
  AlignedValues(AttentionMemory& memory, std::int64_t count)
      : values_(static_cast<T*>(memory.take(static_cast<std::size_t>(count) * sizeof(T)))) {}
  T* data() { return values_; }

 private:
  T* values_;
};

}  // namespace lockstep::cpu

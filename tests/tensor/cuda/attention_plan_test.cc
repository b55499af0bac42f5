#include "tensor/cuda/attention_plan.h"

#include <doctest/doctest.h>

#include <map>

namespace lockstep {
namespace {

const std::vector<AttentionSequence> kSequences{{0, 65, 200, 203}, {65, 65, 203, 331}, {65, 193, 331, 331}};

// Counts how often each row of a kind is in a block.
std::map<std::int64_t, int> rows_of(const std::vector<AttentionBlock>& blocks, AttentionRows of) {
  std::map<std::int64_t, int> times;
  for (const AttentionBlock& block : blocks) {
    const std::int64_t begin = of == AttentionRows::queries ? block.q_begin : block.k_begin;
    for (std::int64_t i = 0; i < block.count; ++i) ++times[begin + block.first + i];
  }
  return times;
}

TEST_CASE("each row of a sequence is in one block, also where there is nothing to see") {
  for (const AttentionRows of : {AttentionRows::queries, AttentionRows::keys}) {
    for (const std::int64_t rows : {1, 32, 64, 1000}) {
      const auto blocks = plan_attention({}, kSequences, of, rows);
      for (const AttentionBlock& block : blocks) CHECK((block.count > 0 && block.count <= rows));
      const auto times = rows_of(blocks, of);
      CHECK(times.size() == (of == AttentionRows::queries ? 193 : 131));
      for (const auto& [row, count] : times) CHECK(count == 1);
    }
  }
}

TEST_CASE("a block knows the whole of its sequence") {
  const auto blocks = plan_attention({}, {{{5, 75, 100, 103}}}, AttentionRows::queries, 64);
  const std::vector<AttentionBlock> expected{
      {.q_begin = 5, .k_begin = 100, .queries = 70, .keys = 3, .first = 0, .count = 64},
      {.q_begin = 5, .k_begin = 100, .queries = 70, .keys = 3, .first = 64, .count = 6}};
  CHECK(blocks == expected);
}

TEST_CASE("blocks with the most to do come first, those with as much in their order") {
  const std::vector<AttentionSequence> sequences{{0, 10, 0, 10}, {10, 40, 10, 40}, {40, 60, 40, 60}};
  const auto firsts = [&](bool causal, AttentionRows of) {
    std::vector<std::int64_t> rows;
    for (const AttentionBlock& block : plan_attention({.causal = causal}, sequences, of, 16)) {
      rows.push_back(block.q_begin + block.first);
    }
    return rows;
  };
  CHECK(firsts(false, AttentionRows::queries) == std::vector<std::int64_t>{10, 26, 40, 56, 0});
  CHECK(firsts(true, AttentionRows::queries) == std::vector<std::int64_t>{26, 56, 10, 40, 0});
  CHECK(firsts(true, AttentionRows::keys) == std::vector<std::int64_t>{10, 40, 26, 0, 56});
}

TEST_CASE("no sequences are no blocks") { CHECK(plan_attention({}, {}, AttentionRows::keys, 64).empty()); }

}  // namespace
}  // namespace lockstep

#include "tensor/cpu/attention_bfloat16.h"

#include <doctest/doctest.h>

#include "attention_case.h"
#include "tensor/cpu/matmul_products.h"

namespace lockstep::cpu {
namespace {

// All kinds of products that this processor can run.
std::vector<PairProducts> all_products() {
  if (has_bfloat16_tiles()) return {PairProducts::vectors, PairProducts::tiles};
  return {PairProducts::vectors};
}

// Runs both passes; their results, widened, replace those in the case.
void run_pairs(AttentionCase<float>& run, PairProducts products) {
  const std::int64_t width = run.width();
  std::vector<BFloat16> out = narrowed_all(run.out);
  std::vector<BFloat16> dqkv = narrowed_all(run.dqkv);
  attention_bfloat16(run.shape, run.numbered_dropout(), run.sequences, run.inputs(),
                     MatrixRows<BFloat16>{out.data(), width}, run.log_sums.data(), run.memory, products);
  attention_bfloat16_backward(run.shape, run.numbered_dropout(), run.sequences, run.inputs(),
                              MatrixRows<const BFloat16>{out.data(), width}, run.log_sums.data(),
                              MatrixRows<const float>{run.dout.data(), width},
                              {.dq = {dqkv.data(), 3 * width},
                               .dk = {dqkv.data() + width, 3 * width},
                               .dv = {dqkv.data() + 2 * width, 3 * width}},
                              run.memory, products);
  run.out = widened_all(out);
  run.dqkv = widened_all(dqkv);
}

AttentionCase<float> case_of(std::int64_t heads, std::int64_t head_dim, bool causal,
                             const std::vector<AttentionSequence>& sequences) {
  AttentionCase<float> made;
  made.shape = {
      .heads = heads, .head_dim = head_dim, .scale = 1 / std::sqrt(static_cast<double>(head_dim)), .causal = causal};
  made.sequences = sequences;
  for (const AttentionSequence& s : sequences) made.rows = std::max({made.rows, s.q_end, s.k_end});
  made.fill();
  return made;
}

// A factor is rounded by up to 2^-9 of itself. Scores, below sqrt(head_dim) in size, are then off by at most 2^-8 of
// it, weights by the same fraction, and results, whose terms are below 1, by a few such fractions. The gradients of
// keys and values are sums of weights over the queries, which add up to about 1 per key, more in causal attention for
// early keys: so errors are relative to the largest of them.
void check_close(const AttentionCase<float>& given) {
  AttentionCase<double> expected = doubled(given);
  // Rows that are not queries, or not keys, of any sequence stay unchanged.
  for (auto* results : {&expected.out, &expected.log_sums}) results->assign(results->size(), 0);
  naive_attention(expected);
  double largest = 1;
  for (const double gradient : expected.dqkv) largest = std::max(largest, std::abs(gradient));
  for (const PairProducts products : all_products()) {
    CAPTURE(products);
    AttentionCase<float> run = given;
    for (auto* results : {&run.out, &run.log_sums, &run.dqkv}) results->assign(results->size(), 0);
    run_pairs(run, products);
    CHECK(largest_difference(run.out, expected.out) < 0.01);
    CHECK(largest_difference(run.log_sums, expected.log_sums) < 0.01);
    CHECK(largest_difference(run.dqkv, expected.dqkv) < 0.01 * largest);
  }
}

const std::vector<std::int64_t> kLengths{1, 2, 3, 7, 15, 16, 17, 63, 64, 65, 129, 130};

TEST_SUITE("attention in bfloat16" * doctest::skip(!MatmulProducts::no_bfloat16().empty())) {
  TEST_CASE("products by tiles are used where this processor has them") {
    if (!has_bfloat16_tiles()) MESSAGE("not tested: products by tiles (no amx_bf16 in /proc/cpuinfo, or not allowed)");
    CHECK((fastest_pair_products() == PairProducts::tiles) == has_bfloat16_tiles());
  }

  TEST_CASE("results and gradients are those of the formulas in double precision, but for the factors' rounding") {
    for (const std::int64_t length : kLengths) {
      for (const bool causal : {false, true}) {
        for (const std::int64_t head_dim : {1, 5, 16, 33, 64}) {
          CAPTURE(length);
          CAPTURE(causal);
          CAPTURE(head_dim);
          check_close(case_of(2, head_dim, causal, {{0, length, 0, length}}));
        }
      }
    }
  }

  TEST_CASE("queries and keys of two sequences, of any lengths") {
    for (const std::int64_t queries : {1, 7, 64, 65}) {
      for (const std::int64_t keys : {1, 3, 63, 130}) {
        CAPTURE(queries);
        CAPTURE(keys);
        check_close(case_of(3, 6, false, {{0, queries, queries, queries + keys}}));
      }
    }
  }

  TEST_CASE("the masks of dropout are those of attention.h") {
    for (const bool causal : {false, true}) {
      auto run = case_of(3, 5, causal, {{0, 71, 0, 71}});
      run.dropout = {.rate = 0.3, .stream = {.seed = 7, .purpose = Purpose::dropout, .stream = 4, .step = 9}};
      run.number_rows((std::int64_t{1} << 32) - 20);
      check_close(run);
    }
  }

  TEST_CASE("the bits of a sequence depend neither on the others of the call nor on where its rows lie") {
    for (const PairProducts products : all_products()) {
      CAPTURE(products);
      auto packed = case_of(2, 5, true, {{0, 130, 0, 130}, {130, 137, 130, 137}, {137, 202, 137, 202}});
      run_pairs(packed, products);
      for (const AttentionSequence& of : packed.sequences) {
        const std::int64_t length = of.q_end - of.q_begin;
        auto alone = case_of(2, 5, true, {{0, length, 0, length}});
        const auto part = [&](const std::vector<float>& all, std::int64_t width) {
          return std::vector<float>(all.begin() + of.q_begin * width, all.begin() + of.q_end * width);
        };
        alone.qkv = part(packed.qkv, 3 * packed.width());
        alone.dout = part(packed.dout, packed.width());
        run_pairs(alone, products);
        CHECK(alone.out == part(packed.out, packed.width()));
        CHECK(alone.log_sums == part(packed.log_sums, 2));
        CHECK(alone.dqkv == part(packed.dqkv, 3 * packed.width()));
      }
    }
  }

  TEST_CASE("what is not finite in a sequence stays in it") {
    for (const PairProducts products : all_products()) {
      for (const bool causal : {false, true}) {
        CAPTURE(products);
        CAPTURE(causal);
        auto run = case_of(2, 5, causal, {{0, 130, 0, 130}, {130, 137, 130, 137}, {137, 202, 137, 202}});
        for (std::int64_t i = 0; i < 130 * 3 * run.width(); ++i) {
          run.qkv[static_cast<std::size_t>(i)] = std::numeric_limits<float>::quiet_NaN();
        }
        run_pairs(run, products);
        for (std::int64_t i = 0; i < run.rows * run.width(); ++i) {
          REQUIRE(std::isnan(run.out[static_cast<std::size_t>(i)]) == (i < 130 * run.width()));
        }
        for (std::int64_t i = 0; i < run.rows * 3 * run.width(); ++i) {
          REQUIRE(std::isnan(run.dqkv[static_cast<std::size_t>(i)]) == (i < 130 * 3 * run.width()));
        }
      }
    }
  }

  TEST_CASE("logits of any size do not overflow, after a block of small ones") {
    for (const PairProducts products : all_products()) {
      auto run = case_of(1, 16, false, {{0, 65, 0, 65}, {65, 68, 65, 68}});
      run.shape.scale = 1e30;
      run_pairs(run, products);
      for (const float value : run.out) CHECK(std::isfinite(value));
    }
  }
}

}  // namespace
}  // namespace lockstep::cpu

#include "tensor/cpu/attention.h"

#include <doctest/doctest.h>

#include "attention_case.h"
#include "base/error.h"

namespace lockstep::cpu {
namespace {

const std::vector<std::int64_t> kLengths{1, 2, 3, 7, 63, 64, 65, 130};

AttentionShape shape_of(std::int64_t heads, std::int64_t head_dim, bool causal) {
  return {
      .heads = heads, .head_dim = head_dim, .scale = 1 / std::sqrt(static_cast<double>(head_dim)), .causal = causal};
}

template <class T>
AttentionCase<T> case_of(const AttentionShape& shape, const std::vector<AttentionSequence>& sequences) {
  AttentionCase<T> made;
  made.shape = shape;
  made.sequences = sequences;
  for (const AttentionSequence& s : made.sequences) made.rows = std::max({made.rows, s.q_end, s.k_end});
  made.fill();
  return made;
}

template <class T>
AttentionCase<T> self_case(const AttentionShape& shape, std::int64_t length) {
  return case_of<T>(shape, {{0, length, 0, length}});
}

// Generations of this processor, the newest last.
std::vector<Generation> generations() {
  std::vector<Generation> all{Generation::oldest};
  if (newest_generation() != Generation::oldest) all.push_back(Generation::v3);
  if (newest_generation() == Generation::v4) all.push_back(Generation::v4);
  return all;
}

// Values are sums of terms below 1 in size: weights add up to 1, gradients of keys and values over up to 130 queries.
void check_close(AttentionCase<float> run, AttentionCase<double> expected, double bound, Generation generation) {
  naive_attention(expected);
  run.forward(generation);
  run.backward(generation);
  CHECK(largest_difference(run.out, expected.out) < bound);
  CHECK(largest_difference(run.log_sums, expected.log_sums) < bound);
  CHECK(largest_difference(run.dqkv, expected.dqkv) < bound);
}
void check_close(const AttentionCase<float>& run, double bound, Generation generation) {
  check_close(run, doubled(run), bound, generation);
}

constexpr double kBound = 3e-6;

TEST_CASE("attention in memory that a larger call has left gives the bits of new memory") {
  for (const Generation generation : generations()) {
    AttentionCase<float> large = self_case<float>(shape_of(2, 64, true), 130);
    large.dropout.rate = 0.5;
    large.forward(generation);
    large.backward(generation);
    AttentionCase<float> small = self_case<float>(shape_of(3, 5, false), 67);
    AttentionCase<float> expected = small;
    small.memory = large.memory;
    for (AttentionCase<float>* one : {&small, &expected}) {
      one->forward(generation);
      one->backward(generation);
    }
    CHECK(small.out == expected.out);
    CHECK(small.dqkv == expected.dqkv);
  }
}

TEST_CASE("attention of a sequence to itself, and its gradients, are those of the formulas in double precision") {
  for (Generation generation : generations()) {
    for (std::int64_t length : kLengths) {
      for (bool causal : {false, true}) {
        CAPTURE(static_cast<int>(generation));
        CAPTURE(length);
        CAPTURE(causal);
        check_close(self_case<float>(shape_of(2, 16, causal), length), kBound, generation);
      }
    }
  }
}

TEST_CASE("attention takes any number of heads and any width of a head") {
  for (Generation generation : generations()) {
    for (std::int64_t heads : {1, 2, 3, 8}) {
      for (std::int64_t head_dim : {1, 5, 16, 64}) {
        CAPTURE(heads);
        CAPTURE(head_dim);
        check_close(self_case<float>(shape_of(heads, head_dim, true), 67), kBound, generation);
      }
    }
    check_close(self_case<float>(shape_of(1, 150, false), 19), kBound, generation);
  }
}

TEST_CASE("attention between two sequences of any lengths") {
  for (Generation generation : generations()) {
    for (std::int64_t queries : {1, 7, 64, 65}) {
      for (std::int64_t keys : {1, 3, 63, 130}) {
        CAPTURE(queries);
        CAPTURE(keys);
        auto run = case_of<float>(shape_of(2, 5, false), {{0, queries, 0, keys}});
        // Rows that are not queries, or not keys, of any sequence stay unchanged: zeros here, as in the reference.
        run.out.assign(run.out.size(), 0);
        run.log_sums.assign(run.log_sums.size(), 0);
        run.dqkv.assign(run.dqkv.size(), 0);
        AttentionCase<double> expected = doubled(run);
        expected.out.assign(run.out.size(), 0);
        expected.log_sums.assign(run.log_sums.size(), 0);
        check_close(std::move(run), std::move(expected), kBound, generation);
      }
    }
  }
}

TEST_CASE("with dropout, attention draws the masks that its header tells, in every generation of processors") {
  for (Generation generation : generations()) {
    for (bool causal : {false, true}) {
      for (std::int64_t first_row_id : {std::int64_t{5}, (std::int64_t{1} << 32) - 20, (std::int64_t{1} << 40) - 70}) {
        auto run = self_case<float>(shape_of(3, 5, causal), 70);
        run.dropout = {.rate = 0.3, .stream = {.seed = 7, .purpose = Purpose::dropout, .stream = 4, .step = 9}};
        run.number_rows(first_row_id);
        check_close(run, 1e-5, generation);
      }
    }
  }
}

TEST_CASE("the bits of a sequence depend neither on the others of the call nor on where its rows lie") {
  const AttentionShape shape = shape_of(2, 5, true);
  const std::vector<std::int64_t> lengths{65, 1, 130, 7};
  AttentionCase<float> packed;
  packed.shape = shape;
  packed.dropout = {.rate = 0.1, .stream = {.purpose = Purpose::dropout}};
  for (std::int64_t length : lengths) {
    const std::int64_t end = packed.rows + length;
    packed.sequences.push_back({packed.rows, end, packed.rows, end});
    packed.rows = end;
  }
  packed.fill();
  packed.forward();
  packed.backward();
  for (const AttentionSequence& of : packed.sequences) {
    AttentionCase<float> alone = self_case<float>(shape, of.q_end - of.q_begin);
    alone.dropout = packed.dropout;
    alone.number_rows(of.q_begin);
    const auto part = [&](const std::vector<float>& all, std::int64_t width) {
      return std::vector<float>(all.begin() + of.q_begin * width, all.begin() + of.q_end * width);
    };
    alone.qkv = part(packed.qkv, 3 * shape.heads * shape.head_dim);
    alone.dout = part(packed.dout, shape.heads * shape.head_dim);
    alone.forward();
    alone.backward();
    CHECK(alone.out == part(packed.out, shape.heads * shape.head_dim));
    CHECK(alone.log_sums == part(packed.log_sums, shape.heads));
    CHECK(alone.dqkv == part(packed.dqkv, 3 * shape.heads * shape.head_dim));
  }
}

TEST_CASE("queries without keys have an output of zero, keys without queries a gradient of zero") {
  auto run = case_of<float>(shape_of(2, 5, false), {{0, 3, 0, 0}, {3, 3, 3, 8}});
  run.forward();
  run.backward();
  const auto width = static_cast<std::size_t>(run.width());
  for (std::size_t i = 0; i < 3 * width; ++i) CHECK(run.out[i] == 0);
  for (std::size_t r = 0; r < 8; ++r) {
    for (std::size_t c = 0; c < 3 * width; ++c) {
      const bool is_gradient = r < 3 ? c < width : c >= width;
      CHECK((is_gradient ? run.dqkv[r * 3 * width + c] == 0 : std::isnan(run.dqkv[r * 3 * width + c])));
    }
  }
}

TEST_CASE("logits of any size do not overflow") {
  for (Generation generation : generations()) {
    auto run = self_case<float>(shape_of(1, 16, true), 130);
    run.shape.scale = 1e4;  // logits up to 160000, which float32 resolves to 2 decimals
    run.forward(generation);
    run.backward(generation);
    auto expected = doubled(run);
    naive_attention(expected);
    CHECK(largest_difference(run.out, expected.out) < 0.03);
    for (float value : run.dqkv) CHECK(std::isfinite(value));
    run.shape.scale = 1e30;
    run.forward(generation);
    run.backward(generation);
    for (float value : run.out) CHECK(std::isfinite(value));
  }
}

TEST_CASE("a NaN among the queries is one of its output, of no other row") {
  auto run = self_case<float>(shape_of(1, 16, false), 70);
  run.qkv[static_cast<std::size_t>(run.width()) * 2 * 3] = std::numeric_limits<float>::quiet_NaN();
  run.forward();
  for (std::size_t i = 0; i < run.out.size(); ++i) CHECK(std::isnan(run.out[i]) == (i / 16 == 2));
}

TEST_CASE("causal attention of unequal ranges is refused") {
  auto run = case_of<float>(shape_of(1, 4, true), {{0, 3, 0, 5}});
  CHECK_THROWS_WITH_AS(run.forward(), doctest::Contains("of a sequence to itself"), Error);
  CHECK_THROWS_AS(run.backward(), Error);
}

}  // namespace
}  // namespace lockstep::cpu

#include "model/transformer/sequence_counts.h"

#include <doctest/doctest.h>

#include <limits>
#include <vector>

namespace lockstep {
namespace {

// Counts for rows of three outputs each.
SequenceCounts counted(std::vector<float> logits, std::vector<std::int32_t> targets, std::vector<float> weights,
                       const std::vector<SequenceRows>& sequences) {
  const std::int64_t rows = std::ssize(targets);
  return count_sequences(Tensor(logits.data(), DType::float32, {rows, 3}), Tensor(targets.data(), DType::int32, {rows}),
                         Tensor(weights.data(), DType::float32, {rows}), sequences);
}

void check_counts(const SequenceCounts& counts, double sequences, double correct) {
  CHECK(counts.sequences == sequences);
  CHECK(counts.correct_sequences == correct);
}

TEST_CASE("a sequence is right if all of its rows that count are") {
  const std::vector<float> logits{0, 2, 1, 5, 1, 1, 0, 0, 3};  // largest: 1, 0, 2
  const std::vector<SequenceRows> sequences{{.begin = 0, .end = 2}, {.begin = 2, .end = 3}};
  check_counts(counted(logits, {1, 0, 2}, {1, 1, 1}, sequences), 2, 2);
  check_counts(counted(logits, {1, 2, 2}, {1, 1, 1}, sequences), 2, 1);
  check_counts(counted(logits, {1, 2, 2}, {1, 0, 0.5F}, sequences), 2, 2);
}

TEST_CASE("a sequence without a row that counts, or without rows, is none") {
  const std::vector<float> logits{0, 2, 1, 5, 1, 1};
  check_counts(
      counted(logits, {1, 0}, {0, 1}, {{.begin = 0, .end = 1}, {.begin = 1, .end = 1}, {.begin = 1, .end = 2}}), 1, 1);
  check_counts(counted({}, {}, {}, {}), 0, 0);
}

TEST_CASE("of equal logits the first one is the answer, and a NaN is none") {
  const std::vector<SequenceRows> one{{.begin = 0, .end = 1}};
  check_counts(counted({4, 4, 1}, {0}, {1}, one), 1, 1);
  check_counts(counted({4, 4, 1}, {1}, {1}, one), 1, 0);
  const float nan = std::numeric_limits<float>::quiet_NaN();
  check_counts(counted({4, nan, 1}, {0}, {1}, one), 1, 0);
  check_counts(counted({nan, 1, 1}, {0}, {1}, one), 1, 0);
}

}  // namespace
}  // namespace lockstep

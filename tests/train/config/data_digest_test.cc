#include "train/config/data_digest.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "data/sequences/given_pairs.h"
#include "support/given_problem.h"

namespace lockstep {
namespace {

// Samples of two numbers; the last label may differ.
GivenProblem pairs(std::int64_t count, float scale, std::int32_t last) {
  const auto read = [=](Split split, std::int64_t sample, const SampleSlot& slot) {
    slot.input[0] = scale * static_cast<float>(sample);
    slot.input[1] = 1;
    *slot.label = sample + 1 == (split == Split::test ? 3 : count) ? last : 0;
  };
  GivenProblem::Parts parts{.train = count, .test = 3, .read = read};
  parts.shape.input = {2};
  parts.shape.outputs = 5;
  return GivenProblem(parts);
}

}  // namespace

TEST_CASE("the digest is that of the data: inputs and targets, the first and the last sample among them") {
  const std::string digest = data_digest(pairs(100, 1, 3), Split::train);
  CHECK(digest.size() == 16);
  CHECK(data_digest(pairs(100, 1, 3), Split::train) == digest);
  CHECK(data_digest(pairs(100, 2, 3), Split::train) != digest);
  CHECK(data_digest(pairs(100, 1, 4), Split::train) != digest);
  CHECK(data_digest(pairs(1, 1, 3), Split::train) != data_digest(pairs(1, 1, 4), Split::train));
  CHECK(data_digest(pairs(2, 1, 3), Split::train) != data_digest(pairs(3, 1, 3), Split::train));
  CHECK(data_digest(pairs(100, 1, 3), Split::test) != digest);
  CHECK(data_digest(pairs(100, 1, 4), Split::test) != data_digest(pairs(100, 1, 3), Split::test));
  CHECK(data_digest(pairs(100, 1, 3), Split::dev) == data_digest(pairs(7, 2, 4), Split::dev));  // both empty
}

// Samples of a thousand numbers, in blocks; one number may differ in its last bit. Counts reads.
class Changed final : public Problem {
 public:
  explicit Changed(std::int64_t count, std::int64_t block = 0, std::int64_t changed = -1)
      : count_(count), block_(block), changed_(changed) {}
  ProblemShape shape() const override { return {.input = {1000}, .target = ProblemShape::Target::real, .outputs = 1}; }
  std::int64_t count(Split /*split*/) const override { return count_; }
  BlockLayout layout() const override { return {.block = block_}; }
  void read(Split /*split*/, std::int64_t sample, const SampleSlot& slot) const override {
    ++reads_;
    std::ranges::fill(slot.input, static_cast<float>(sample));
    slot.target[0] = 1;
    if (sample == changed_) slot.input[501] = std::nextafter(slot.input[501], 1e9F);
  }

  std::int64_t reads() const { return reads_; }

 private:
  std::int64_t count_;
  std::int64_t block_;
  std::int64_t changed_;
  mutable std::int64_t reads_ = 0;
};

TEST_CASE("the checksum finds a single bit in any sample of a split that is not too large") {
  for (const std::int64_t block : {0, 1, 7, 50}) {
    const std::string checksum = data_checksum(Changed(101, block), Split::train);
    CHECK(checksum.size() == 16);
    CHECK(data_checksum(Changed(101, block), Split::train) == checksum);
    for (const std::int64_t changed : {0, 1, 49, 50, 99, 100}) {
      CHECK(data_checksum(Changed(101, block, changed), Split::train) != checksum);
    }
  }
  CHECK(data_checksum(Changed(0), Split::dev) == data_checksum(Changed(0), Split::dev));
  CHECK(data_checksum(pairs(100, 1, 4), Split::train) != data_checksum(pairs(100, 1, 3), Split::train));
  CHECK(data_checksum(pairs(100, 1, 4), Split::test) != data_checksum(pairs(100, 1, 3), Split::test));
}

// Sequences of 1 to 5 symbols, the same for every fifth sample; one symbol may differ, or be on the other side.
enum class Change { none, symbol, side, before };
GivenPairs staircase(std::int64_t count, std::int64_t changed = -1, Change change = Change::none) {
  std::vector<SequencePair> pairs;
  for (std::int64_t sample = 0; sample < count; ++sample) {
    const std::vector<std::int32_t> side(static_cast<std::size_t>(1 + sample % 5), 7);
    SequencePair& pair = pairs.emplace_back(SequencePair{.inputs = side, .targets = side});
    if (sample != changed) continue;
    if (change == Change::symbol) pair.targets.back() = 8;
    if (change == Change::before) pair.before = 3;
    if (change != Change::side) continue;
    pair.targets.pop_back();
    pair.inputs.push_back(7);
  }
  return GivenPairs(std::move(pairs));
}

TEST_CASE("of sequences digest and checksum are over both sides and what stands before them") {
  const GivenPairs plain = staircase(100);
  const std::string digest = data_digest(plain, Split::train);
  const std::string checksum = data_checksum(plain, Split::train);
  CHECK(data_digest(staircase(100), Split::train) == digest);
  for (const Change change : {Change::symbol, Change::side, Change::before}) {
    for (const std::int64_t changed : {0, 99}) {
      CHECK(data_digest(staircase(100, changed, change), Split::train) != digest);
    }
    for (const std::int64_t changed : {0, 1, 42, 99}) {
      CHECK(data_checksum(staircase(100, changed, change), Split::train) != checksum);
    }
  }
  CHECK(data_checksum(staircase(0), Split::dev) == data_checksum(staircase(0), Split::dev));
}

TEST_CASE("of a split that is too large only so much is read, spread over all of it") {
  const Changed large(100'000);
  const std::string checksum = data_checksum(large, Split::test);
  CHECK(large.reads() <= ComparedSamples::kOtherBytes / 4000);
  CHECK(large.reads() > ComparedSamples::kOtherBytes / 5000);
  for (const std::int64_t changed : {0, 99'999}) {
    CHECK(data_checksum(Changed(100'000, 0, changed), Split::test) != checksum);
  }
}

TEST_CASE("which blocks are compared: all that fit, at least two, the first and the last among them") {
  const auto blocks = [](std::int64_t samples, std::int64_t block, std::int64_t most_bytes) {
    const ComparedSamples compared = compared_samples(samples, block, 4, most_bytes);
    std::vector<std::int64_t> numbers;
    for (std::int64_t i = 0; i < compared.looked_at; ++i) numbers.push_back(compared.block_at(i));
    return numbers;
  };
  using Numbers = std::vector<std::int64_t>;
  CHECK(blocks(5, 1, 20) == Numbers{0, 1, 2, 3, 4});
  CHECK(blocks(5, 1, 19) == Numbers{0, 1, 2, 4});
  CHECK(blocks(5, 0, 12) == Numbers{0, 2, 4});
  CHECK(blocks(5, 1, 0) == Numbers{0, 4});
  CHECK(blocks(5, 2, 16) == Numbers{0, 2});
  CHECK(blocks(5, 2, 24) == Numbers{0, 1, 2});
  CHECK(blocks(5, 5, 1) == Numbers{0});
  CHECK(blocks(1, 1, 1) == Numbers{0});
  CHECK(blocks(0, 1, 100).empty());
  const ComparedSamples huge = compared_samples(std::int64_t{1} << 40, 1, 4, ComparedSamples::kTrainBytes);
  CHECK(huge.looked_at == (std::int64_t{1} << 26));
  CHECK(huge.block_at(huge.looked_at - 1) == (std::int64_t{1} << 40) - 1);
}

}  // namespace lockstep

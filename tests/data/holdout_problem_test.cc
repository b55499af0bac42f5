#include "data/holdout_problem.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>
#include <set>

#include "data/sample_values.h"
#include "data/sequences/given_pairs.h"
#include "data/shard_plan.h"
#include "support/check_error.h"

namespace lockstep {
namespace {

using Ids = std::vector<std::int64_t>;

// Samples whose value is their own number, negative in the test split; has blocks if block > 0.
class Numbered final : public Problem {
 public:
  explicit Numbered(std::int64_t samples, std::int64_t block = 0, std::int64_t dev = 0)
      : samples_(samples), block_(block), dev_(dev) {}

  ProblemShape shape() const override {
    return {.input = {1}, .target = ProblemShape::Target::class_label, .outputs = 3};
  }
  std::int64_t count(Split split) const override {
    return split == Split::train ? samples_ : split == Split::test ? 5 : dev_;
  }
  void read(Split split, std::int64_t sample, const SampleSlot& slot) const override {
    slot.input[0] = static_cast<float>(split == Split::test ? -sample : sample);
    *slot.label = static_cast<std::int32_t>(sample % 3);
  }
  std::vector<std::string> remarks() const override { return {"odd"}; }
  std::vector<std::string> notes() const override { return {"even"}; }
  BlockLayout layout() const override { return {.block = block_, .window_blocks = 2}; }
  void expect_block(std::int64_t block) const override { expected.push_back(block); }

  mutable Ids expected;

 private:
  std::int64_t samples_;
  std::int64_t block_;
  std::int64_t dev_;
};

Ids read_split(const Problem& problem, Split split) {
  Ids ids;
  for (std::int64_t sample = 0; sample < problem.count(split); ++sample) {
    const SampleValues values = read_sample(problem, split, sample);
    ids.push_back(static_cast<std::int64_t>(values.input[0]));
    CHECK(values.label == std::abs(ids.back()) % 3);
  }
  return ids;
}

HoldoutProblem hold_out(std::int64_t samples, double share, std::int64_t block = 0, std::uint64_t seed = 1) {
  return HoldoutProblem(std::make_unique<Numbered>(samples, block), share, seed);
}

}  // namespace

TEST_CASE("each sample is trained on or held out, in the order of the split") {
  for (const std::int64_t samples : {2, 3, 10, 97, 1000}) {
    for (const double share : {0.1, 0.5, 0.9}) {
      const std::int64_t held = std::llround(share * static_cast<double>(samples));
      if (held == 0 || held == samples) continue;
      CAPTURE(samples);
      CAPTURE(share);
      const HoldoutProblem problem = hold_out(samples, share);
      const Ids train = read_split(problem, Split::train);
      const Ids dev = read_split(problem, Split::dev);
      CHECK(std::ssize(dev) == held);
      CHECK(std::ranges::is_sorted(train));
      CHECK(std::ranges::is_sorted(dev));
      Ids together = train;
      together.insert(together.end(), dev.begin(), dev.end());
      std::ranges::sort(together);
      Ids all(static_cast<std::size_t>(samples));
      std::iota(all.begin(), all.end(), 0);
      CHECK(together == all);
      CHECK(read_split(problem, Split::test) == Ids{0, -1, -2, -3, -4});
    }
  }
}

TEST_CASE("the seed decides what is held out, and nothing else does") {
  const Ids first = read_split(hold_out(1000, 0.1), Split::dev);
  CHECK(read_split(hold_out(1000, 0.1), Split::dev) == first);
  CHECK(read_split(hold_out(1000, 0.1, 0, 2), Split::dev) != first);
  // Samples are spread over the split: 10 of each tenth are expected.
  for (std::int64_t tenth = 0; tenth < 10; ++tenth) {
    CHECK(std::ranges::count_if(first, [&](std::int64_t id) { return id / 100 == tenth; }) >= 3);
  }
}

TEST_CASE("of blocks whole ones are held out, and the short one remains the last") {
  for (const std::int64_t samples : {70, 73, 79}) {
    CAPTURE(samples);
    auto owned = std::make_unique<Numbered>(samples, 7);
    const Numbered& whole = *owned;
    const HoldoutProblem problem(std::move(owned), 0.25, 1);  // 2.5 of 10 blocks or 2.75 of 11
    const Ids dev = read_split(problem, Split::dev);
    const Ids train = read_split(problem, Split::train);
    CHECK(dev.size() == 3 * 7);
    for (std::size_t i = 0; i < dev.size(); ++i) {
      CHECK(dev[i] / 7 == dev[i / 7 * 7] / 7);
      CHECK(dev[i] % 7 == static_cast<std::int64_t>(i % 7));
    }
    // Each remaining block is a block of the whole problem, the one passed to expect_block().
    const auto blocks = static_cast<std::int64_t>((train.size() + 6) / 7);
    for (std::int64_t block = 0; block < blocks; ++block) problem.expect_block(block);
    for (std::size_t i = 0; i < train.size(); ++i) {
      CHECK(train[i] == whole.expected[i / 7] * 7 + static_cast<std::int64_t>(i % 7));
    }
    CHECK(problem.layout().block == 7);
    CHECK(problem.layout().window_blocks == 2);
    CHECK(static_cast<std::int64_t>(train.size()) % 7 == samples % 7);

    // A ShardPlan over the rest reads each remaining sample once per epoch.
    const ShardPlan plan({.samples = problem.count(Split::train), .global_batch = 9, .block = 7, .window_blocks = 2});
    std::set<std::int64_t> seen;
    Ids ids;
    for (std::int64_t step = 1; step <= plan.steps_per_epoch(); ++step) {
      plan.share(step, 0, ids);
      for (const std::int64_t id : ids) seen.insert(train.at(static_cast<std::size_t>(id)));
    }
    CHECK(seen.size() == train.size());
  }
}

namespace {

// Sample n of the training split consists of the symbol n, n + 1 times.
class NumberedSequences final : public SequenceProblem {
 public:
  std::int64_t vocabulary() const override { return 50; }
  bool has_inputs() const override { return false; }
  bool cut_to_length() const override { return true; }
  std::int64_t count(Split split) const override { return split == Split::train ? 40 : split == Split::test ? 3 : 0; }
  SequenceLengths lengths(Split /*split*/, std::int64_t sample) const override {
    return {.inputs = 0, .targets = sample + 1};
  }
  void read_pair(Split /*split*/, std::int64_t sample, SequencePair& pair) const override {
    pair = {
        .inputs = {},
        .targets = std::vector<std::int32_t>(static_cast<std::size_t>(sample + 1), static_cast<std::int32_t>(sample))};
  }
};

// Returns the samples of a split, each as its symbol.
Ids sequence_ids(const Problem& problem, Split split) {
  Ids ids;
  for (std::int64_t sample = 0; sample < problem.count(split); ++sample) {
    const SequencePair pair = pair_of(problem, split, sample);
    CHECK(problem.lengths(split, sample).targets == std::ssize(pair.targets));
    CHECK(std::ssize(pair.targets) == pair.targets.front() + 1);
    ids.push_back(pair.targets.front());
  }
  return ids;
}

}  // namespace

TEST_CASE("sequences are held out under the numbers that rows would be") {
  const HoldoutProblem rows = hold_out(40, 0.25);
  const HoldoutProblem problem(std::make_unique<NumberedSequences>(), 0.25, 1);
  CHECK(rows.lengths(Split::dev, 9) == SequenceLengths{.inputs = 0, .targets = 1});
  CHECK_FALSE(rows.cut_to_length());
  CHECK(problem.shape() == NumberedSequences().shape());
  CHECK(problem.cut_to_length());
  CHECK(sequence_ids(problem, Split::train) == read_split(rows, Split::train));
  CHECK(sequence_ids(problem, Split::dev) == read_split(rows, Split::dev));
  CHECK(sequence_ids(problem, Split::test) == Ids{0, 1, 2});
  check_error(ExitCode::internal, {"no such sample"}, [&] { pair_of(problem, Split::dev, 10); });
}

TEST_CASE("the rest of a problem stays its own") {
  const HoldoutProblem problem = hold_out(100, 0.1);
  CHECK(problem.shape().outputs == 3);
  CHECK(problem.remarks() == std::vector<std::string>{"odd"});
  CHECK(problem.notes() == std::vector<std::string>{"even"});
  CHECK(problem.layout().block == 0);
  check_error(ExitCode::internal, {"no such sample"},
              [&] { problem.read(Split::dev, 10, {.input = {}, .label = nullptr, .target = {}}); });
}

TEST_CASE("a share without samples, with all of them, or beside a dev split is refused with the cure") {
  check_error(ExitCode::configuration, {"--holdout=0.001 of 100 training samples is none", "between 0.01 and 0.99"},
              [] { hold_out(100, 0.001); });
  check_error(ExitCode::configuration, {"--holdout=0.999 of 100 training samples leaves none"},
              [] { hold_out(100, 0.999); });
  check_error(ExitCode::configuration, {"--holdout=0.1 of 3 whole blocks of 30", "is none", "between 0.333 and 0.667"},
              [] { hold_out(100, 0.1, 30); });
  CHECK(hold_out(100, 0.99, 30).count(Split::train) == 10);  // the short block
  check_error(ExitCode::configuration, {"--holdout=0.5 of 0 whole blocks of 30", "leave it out"},
              [] { hold_out(20, 0.5, 30); });
  check_error(ExitCode::configuration, {"--holdout=0.5 of 1 training samples leaves none", "leave it out"},
              [] { hold_out(1, 0.5); });
  check_error(ExitCode::configuration,
              {"--holdout=0.2: the problem has a dev split of 4 samples", "leave the flag out"},
              [] { HoldoutProblem(std::make_unique<Numbered>(100, 0, 4), 0.2, 1); });
}

}  // namespace lockstep

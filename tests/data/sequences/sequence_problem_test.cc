#include "data/sequences/sequence_problem.h"

#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <utility>

#include "support/check_error.h"
#include "tensor/batch.h"

namespace lockstep {
namespace {

// Samples of one symbol each, as many as asked for.
class CountedSource final : public SequenceSource {
 public:
  CountedSource(std::int64_t dev, bool has_inputs) : dev_(dev), has_inputs_(has_inputs) {}

  std::int64_t vocabulary() const override { return 11; }
  bool has_inputs() const override { return has_inputs_; }
  std::int64_t count(Split split) const override { return split == Split::dev ? dev_ : 3; }
  SequenceLengths lengths(Split /*split*/, std::int64_t /*sample*/) const override {
    return {.inputs = has_inputs_ ? 1 : 0, .targets = 1};
  }
  void read(Split /*split*/, std::int64_t /*sample*/, SequencePair& pair) const override {
    pair = {.inputs = {}, .targets = {kEndSymbol}};
    if (has_inputs_) pair.inputs = {kFirstSymbol};
  }

 private:
  std::int64_t dev_;
  bool has_inputs_;
};

SequenceProblem problem_of(std::int64_t dev, bool has_inputs) {
  return SequenceProblem({.source = std::make_unique<CountedSource>(dev, has_inputs),
                          .vocabulary_json = "{}",
                          .remarks = {"odd"},
                          .characters = true});
}

}  // namespace

TEST_CASE("a problem of sequences is its source, and says what a model must fit") {
  for (const bool has_inputs : {false, true}) {
    const SequenceProblem problem = problem_of(2, has_inputs);
    using Sample = ProblemShape::Sample;
    const ProblemShape expected{.sample = has_inputs ? Sample::pair : Sample::sequence,
                                .input = {},
                                .target = ProblemShape::Target::class_label,
                                .outputs = 11,
                                .input_type = DType::int32,
                                .vocabulary = 11,
                                .characters = true,
                                .vocabulary_json = "{}"};
    CHECK(problem.shape() == expected);
    CHECK(problem.shape().has_sequences());
    CHECK(problem.count(Split::train) == 3);
    CHECK(problem.count(Split::dev) == 2);
    CHECK(problem.remarks() == std::vector<std::string>{"odd"});
    REQUIRE(problem.sequences() != nullptr);
    CHECK(problem.sequences()->has_inputs() == has_inputs);
  }
}

TEST_CASE("a sequence is not read as one row") {
  check_error(ExitCode::internal, {"sequences() gives it"},
              [] { problem_of(2, true).read(Split::train, 0, {.input = {}, .label = nullptr, .target = {}}); });
}

TEST_CASE("more sequences than numbers of rows can tell apart are refused") {
  CHECK(problem_of(kMostSequences, false).count(Split::dev) == kMostSequences);
  check_error(ExitCode::bad_data, {"the dev split has 16777217 sequences", "at most 16777216", "max_length"},
              [] { problem_of(kMostSequences + 1, false); });
}

}  // namespace lockstep

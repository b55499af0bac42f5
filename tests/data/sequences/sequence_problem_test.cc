#include "data/sequences/sequence_problem.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "support/check_error.h"
#include "tensor/batch.h"

namespace lockstep {
namespace {

// Samples of one symbol each, as many as asked for.
class Counted final : public SequenceProblem {
 public:
  Counted(std::int64_t dev, bool has_inputs) : dev_(dev), has_inputs_(has_inputs) {}

  std::int64_t vocabulary() const override { return 11; }
  bool has_inputs() const override { return has_inputs_; }
  std::int64_t count(Split split) const override { return split == Split::dev ? dev_ : 3; }
  SequenceLengths lengths(Split /*split*/, std::int64_t /*sample*/) const override {
    return {.inputs = has_inputs_ ? 1 : 0, .targets = 1};
  }
  void read_pair(Split /*split*/, std::int64_t /*sample*/, SequencePair& pair) const override {
    pair = {.inputs = {}, .targets = {kEndSymbol}};
    if (has_inputs_) pair.inputs = {kFirstSymbol};
  }

 private:
  std::int64_t dev_;
  bool has_inputs_;
};

}  // namespace

TEST_CASE("a problem of sequences says what a model must fit, and gives pairs") {
  for (const bool has_inputs : {false, true}) {
    Counted problem(2, has_inputs);
    problem.add_remark("odd");
    using Sample = ProblemShape::Sample;
    const ProblemShape expected{.sample = has_inputs ? Sample::pair : Sample::sequence,
                                .input = {},
                                .target = ProblemShape::Target::class_label,
                                .outputs = 11,
                                .input_type = DType::int32,
                                .vocabulary = 11};
    CHECK(problem.shape() == expected);
    CHECK(problem.shape().has_sequences());
    CHECK(problem.count(Split::train) == 3);
    CHECK(problem.count(Split::dev) == 2);
    CHECK(problem.remarks() == std::vector<std::string>{"odd"});
    CHECK(problem.notes().empty());
    SequencePair pair;
    problem.read(Split::train, 0, {.pair = &pair});
    CHECK(pair.targets == std::vector<std::int32_t>{kEndSymbol});
    CHECK(pair.inputs.empty() == !has_inputs);
  }
}

TEST_CASE("a sequence is not read as one row") {
  check_error(ExitCode::internal, {"more than one row"}, [] { Counted(2, true).read(Split::train, 0, {}); });
}

TEST_CASE("more sequences than numbers of rows can tell apart are refused") {
  check_counts(Counted(kMostSequences, false));
  check_error(ExitCode::bad_data, {"the dev split has 16777217 sequences", "at most 16777216", "max_length"},
              [] { check_counts(Counted(kMostSequences + 1, false)); });
}

}  // namespace lockstep

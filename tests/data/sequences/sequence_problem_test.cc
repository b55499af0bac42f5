#include "data/sequences/sequence_problem.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "data/sequences/given_pairs.h"
#include "support/check_error.h"
#include "tensor/batch.h"

namespace lockstep {
namespace {

// Samples of one symbol each, as many as asked for.
GivenPairs counted(std::int64_t dev, bool has_inputs) {
  SequencePair pair{.inputs = {}, .targets = {kEndSymbol}};
  if (has_inputs) pair.inputs = {kFirstSymbol};
  return GivenPairs({pair, pair, pair}, has_inputs, dev);
}

}  // namespace

TEST_CASE("a problem of sequences says what a model must fit, and gives pairs") {
  for (const bool has_inputs : {false, true}) {
    GivenPairs problem = counted(2, has_inputs);
    problem.add_remark("odd");
    using Sample = ProblemShape::Sample;
    const ProblemShape expected{.sample = has_inputs ? Sample::pair : Sample::sequence,
                                .input = {},
                                .target = ProblemShape::Target::class_label,
                                .outputs = 10,
                                .input_type = DType::int32,
                                .vocabulary = 10};
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

TEST_CASE("what symbols mean is known from the tokenizer alone") {
  class OfText final : public SequenceProblem {
   public:
    std::int64_t vocabulary() const override { return tokenizer_->size(); }
    bool has_inputs() const override { return false; }
    std::int64_t count(Split /*split*/) const override { return 0; }
    SequenceLengths lengths(Split /*split*/, std::int64_t /*sample*/) const override { return {}; }
    void read_pair(Split /*split*/, std::int64_t /*sample*/, SequencePair& /*pair*/) const override {}
    TokenizerPointer tokenizer() const override { return tokenizer_; }

   private:
    TokenizerPointer tokenizer_ = character_tokenizer().make("ab", {});
  };
  const ProblemShape shape = OfText().shape();
  CHECK(shape.characters);
  CHECK(shape.vocabulary_digest == vocabulary_digest(R"({"unit":"character","characters":"ab"})"));
}

TEST_CASE("a sequence is not read as one row") {
  check_error(ExitCode::internal, {"more than one row"}, [] { counted(2, true).read(Split::train, 0, {}); });
}

TEST_CASE("more sequences than numbers of rows can tell apart are refused") {
  check_counts(counted(kMostSequences, false));
  check_error(ExitCode::bad_data, {"the dev split has 16777217 sequences", "at most 16777216", "max_length"},
              [] { check_counts(counted(kMostSequences + 1, false)); });
}

}  // namespace lockstep

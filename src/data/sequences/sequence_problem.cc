#include "data/sequences/sequence_problem.h"

#include <fmt/format.h>

#include <utility>

#include "base/error.h"
#include "tensor/batch.h"

namespace lockstep {

SequenceProblem::SequenceProblem(Options options) : options_(std::move(options)) {
  LS_CHECK(options_.source != nullptr, "the samples");
  for (const Split split : kAllSplits) {
    if (count(split) <= kMostSequences) continue;
    throw Error(ExitCode::bad_data,
                fmt::format("the {} split has {} sequences, and a split has at most {}: leave some out; of a text a "
                            "larger hparam max_length makes fewer",
                            name(split), count(split), kMostSequences));
  }
}

ProblemShape SequenceProblem::shape() const {
  const std::int64_t vocabulary = options_.source->vocabulary();
  return {.sample = options_.source->has_inputs() ? ProblemShape::Sample::pair : ProblemShape::Sample::sequence,
          .input = {},
          .target = ProblemShape::Target::class_label,
          .outputs = vocabulary,
          .input_type = DType::int32,
          .vocabulary = vocabulary,
          .characters = options_.characters,
          .vocabulary_json = options_.vocabulary_json};
}

void SequenceProblem::read(Split /*split*/, std::int64_t /*sample*/, const SampleSlot& /*slot*/) const {
  fail(LS_HERE("SequenceProblem::read"), "a sequence is more than one row: sequences() gives it");
}

}  // namespace lockstep

#include "data/sequences/sequence_problem.h"

#include "base/error.h"

namespace lockstep {

ProblemShape SequenceProblem::shape() const {
  return {.sample = has_inputs() ? ProblemShape::Sample::pair : ProblemShape::Sample::sequence,
          .input = {},
          .target = ProblemShape::Target::class_label,
          .outputs = vocabulary(),
          .input_type = DType::int32,
          .vocabulary = vocabulary()};
}

void SequenceProblem::read(Split split, std::int64_t sample, const SampleSlot& slot) const {
  LS_CHECK(slot.pair != nullptr, "a sequence is more than one row");
  read_pair(split, sample, *slot.pair);
}

}  // namespace lockstep

#pragma once

#include "data/problem.h"

namespace lockstep {

// A problem with 1003 samples and no data.
class CountedProblem final : public Problem {
 public:
  ProblemShape shape() const override { return {.input = {3}, .outputs = 2}; }
  std::int64_t count(Split split) const override { return split == Split::train ? 1003 : 0; }
  void read(Split /*split*/, std::int64_t /*sample*/, const SampleSlot& /*slot*/) const override {}
};

}  // namespace lockstep

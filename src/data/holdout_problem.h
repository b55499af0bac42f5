#pragma once

#include <memory>

#include "data/forwarding_problem.h"
#include "data/holdout_plan.h"

namespace lockstep {

// Wraps a problem without a dev split: a held-out share of its training split becomes the dev split, and the rest the
// training split. All else is the problem's own.
class HoldoutProblem final : public ForwardingProblem {
 public:
  // Throws Error(configuration) of every rank if the problem has a dev split, and as HoldoutPlan does.
  HoldoutProblem(std::unique_ptr<Problem> whole, double share, std::uint64_t seed);

  std::int64_t count(Split split) const override;
  void read(Split split, std::int64_t sample, const SampleSlot& slot) const override;
  SequenceLengths lengths(Split split, std::int64_t sample) const override;
  void expect_block(std::int64_t block) const override { inner().expect_block(plan_.remaining_block(block)); }

 private:
  // A sample of the whole problem.
  struct Place {
    Split split;
    std::int64_t sample;
  };
  Place place_of(Split split, std::int64_t sample) const;

  HoldoutPlan plan_;
};

}  // namespace lockstep

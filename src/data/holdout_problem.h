#pragma once

#include <memory>

#include "data/holdout_plan.h"
#include "data/problem.h"

namespace lockstep {

// Wraps a problem without a dev split: a held-out share of its training split becomes the dev split, and the rest the
// training split. All else is the problem's own.
class HoldoutProblem final : public Problem {
 public:
  // Throws Error(configuration) of every rank if the problem has a dev split, and as HoldoutPlan does.
  HoldoutProblem(std::unique_ptr<Problem> whole, double share, std::uint64_t seed);
  ~HoldoutProblem() override;
  HoldoutProblem(const HoldoutProblem&) = delete;
  HoldoutProblem& operator=(const HoldoutProblem&) = delete;

  ProblemShape shape() const override { return whole_->shape(); }
  std::int64_t count(Split split) const override;
  void read(Split split, std::int64_t sample, const SampleSlot& slot) const override;
  std::vector<std::string> remarks() const override { return whole_->remarks(); }
  std::vector<std::string> notes() const override { return whole_->notes(); }
  BlockLayout layout() const override { return whole_->layout(); }
  void expect_block(std::int64_t block) const override { whole_->expect_block(plan_.remaining_block(block)); }
  const SequenceSource* sequences() const override { return sequences_.get(); }

 private:
  // A sample of the whole problem.
  struct Place {
    Split split;
    std::int64_t sample;
  };
  class Sequences;
  Place place_of(Split split, std::int64_t sample) const;

  std::unique_ptr<Problem> whole_;
  HoldoutPlan plan_;
  std::unique_ptr<const SequenceSource> sequences_;  // refers to this; null if the problem has none
};

}  // namespace lockstep

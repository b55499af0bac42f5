#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "data/batch_plan.h"

namespace lockstep {

// A BatchPlan whose steps take `sum` consecutive steps each of another plan: the batches of the gradients that are
// added up for one update. Both begin at the same position. The other plan numbers its steps from there on, so that
// step s takes its steps from + sum * (s - from - 1) + 1 to from + sum * (s - from), where `from` is from().step.
class SummedPlan final : public BatchPlan {
 public:
  // REQUIRES: sum >= 1.
  SummedPlan(std::shared_ptr<const BatchPlan> gradients, std::int64_t sum);

  const Cursor& from() const override { return gradients_->from(); }
  int shares() const override { return gradients_->shares(); }
  bool counts_tokens() const override { return gradients_->counts_tokens(); }
  std::int64_t global_batch() const override { return sum_ * gradients_->global_batch(); }
  // Rounded up: the last step of an epoch may take batches of the next one, and so may the last step of epochs.
  std::int64_t steps_per_epoch() const override { return rounded_up(gradients_->steps_per_epoch()); }
  std::int64_t last_step_of(std::int64_t epochs) const override;
  std::int64_t largest_share() const override { return sum_ * gradients_->largest_share(); }
  std::int64_t longest_sample() const override { return gradients_->longest_sample(); }
  std::int64_t dropped() const override { return gradients_->dropped(); }
  BlockLayout layout() const override { return gradients_->layout(); }
  Cursor cursor(std::int64_t step) const override;
  double epochs(std::int64_t step) const override { return gradients_->epochs(last_of(step)); }
  std::int64_t global_count(std::int64_t step) const override;
  void share(std::int64_t step, int share, std::vector<std::int64_t>& sample_ids) const override;
  void share_of(std::span<const std::int64_t> batch, int share, std::vector<std::int64_t>& sample_ids) const override;
  void ahead(std::int64_t step, std::vector<std::int64_t>& blocks) const override;

 private:
  std::int64_t rounded_up(std::int64_t steps) const { return (steps + sum_ - 1) / sum_; }
  // The last step of the other plan that a step takes, or from().step.
  std::int64_t last_of(std::int64_t step) const;
  // Calls use(number) for each step of the other plan that a step takes.
  template <class Use>
  void for_each_gradient(std::int64_t step, const Use& use) const;

  std::shared_ptr<const BatchPlan> gradients_;
  std::int64_t sum_;
};

}  // namespace lockstep

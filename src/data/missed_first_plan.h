#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "data/batch_plan.h"

namespace lockstep {

// A BatchPlan that takes the missed batches of a cursor first, one in each step, and goes on with another plan, which
// begins after them. A missed batch keeps its samples, whatever made it: another batch size, or other buckets. It is
// cut into shares as the other plan cuts its own batches.
//
// The other plan's position stays where it is while missed batches are taken, and so do the completed epochs. Nothing
// is read ahead for these steps: their samples belong to blocks that were announced in the run that missed them.
class MissedFirstPlan final : public BatchPlan {
 public:
  // REQUIRES: at least one batch, none empty, of samples that `rest` knows; rest->from() has no missed batches, and is
  // at least as many steps from the beginning.
  MissedFirstPlan(std::vector<std::vector<std::int64_t>> missed, std::shared_ptr<const BatchPlan> rest);

  const Cursor& from() const override { return from_; }
  int shares() const override { return rest_->shares(); }
  bool counts_tokens() const override { return rest_->counts_tokens(); }
  std::int64_t global_batch() const override { return rest_->global_batch(); }
  std::int64_t steps_per_epoch() const override { return rest_->steps_per_epoch(); }
  std::int64_t largest_share() const override;
  std::int64_t longest_sample() const override { return rest_->longest_sample(); }
  std::int64_t dropped() const override { return rest_->dropped(); }
  BlockLayout layout() const override { return rest_->layout(); }
  // The missed batches that are left, and the other plan's position.
  Cursor cursor(std::int64_t step) const override;
  double epochs(std::int64_t step) const override;
  // No earlier than the last missed batch, which may belong to any of the epochs.
  std::int64_t last_step_of(std::int64_t epochs) const override { return rest_->last_step_of(epochs); }
  std::int64_t global_count(std::int64_t step) const override;
  void share(std::int64_t step, int share, std::vector<std::int64_t>& sample_ids) const override;
  void share_of(std::span<const std::int64_t> batch, int share, std::vector<std::int64_t>& sample_ids) const override;
  void ahead(std::int64_t step, std::vector<std::int64_t>& blocks) const override;

 private:
  // The missed batch that a step takes; null if it is a step of rest_.
  const std::vector<std::int64_t>* missed_in(std::int64_t step) const;

  std::shared_ptr<const BatchPlan> rest_;
  Cursor from_;
};

// The position of a run that has taken the missed batches: as many steps later.
BatchCursor after_missed(BatchCursor cursor);

// Makes the plan of a run that resumes at `from`: its missed batches first, then what plan_rest returns for the
// position after them; plan_rest's plan alone if there are none. samples: number of the training samples; if a missed
// batch has others, the data are not those that it was cut from any more, and all missed batches are left out.
using PlanRest = std::function<std::shared_ptr<const BatchPlan>(BatchCursor from)>;
std::shared_ptr<const BatchPlan> plan_missed_first(BatchCursor from, std::int64_t samples, const PlanRest& plan_rest);

// The position of a run that hands out the batches of a plan, by their steps in it, to ranks that train by themselves.
// updates: those applied so far. next_batch: the first batch that was not handed out. unapplied: the batches before it
// that no update has applied; they are the position's missed ones, before those that the plan had still to hand out.
// REQUIRES: unapplied is ascending, all of it from plan.from().step + 1 to next_batch - 1.
BatchCursor cursor_after(const BatchPlan& plan, std::int64_t updates, std::int64_t next_batch,
                         std::span<const std::int64_t> unapplied);

}  // namespace lockstep

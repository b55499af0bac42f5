#include "data/missed_first_plan.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/error.h"

namespace lockstep {
namespace {

using MissedBatches = std::vector<std::vector<std::int64_t>>;

bool has_sample_beyond(const MissedBatches& missed, std::int64_t samples) {
  return std::ranges::any_of(missed, [samples](const std::vector<std::int64_t>& batch) {
    return std::ranges::any_of(batch, [samples](std::int64_t id) { return id >= samples; });
  });
}

std::vector<std::int64_t> samples_of_step(const BatchPlan& plan, std::int64_t step) {
  std::vector<std::int64_t> samples;
  std::vector<std::int64_t> ids;
  for (int share = 0; share < plan.shares(); ++share) {
    plan.share(step, share, ids);
    samples.insert(samples.end(), ids.begin(), ids.end());
  }
  return samples;
}

}  // namespace

MissedFirstPlan::MissedFirstPlan(MissedBatches missed, std::shared_ptr<const BatchPlan> rest)
    : rest_(std::move(rest)), from_(rest_->from()) {
  LS_CHECK(!missed.empty() && std::ranges::none_of(missed, &std::vector<std::int64_t>::empty), "an empty missed batch");
  LS_CHECK(from_.missed.empty() && from_.step >= std::ssize(missed), "a plan that does not begin after missed batches");
  from_.step -= std::ssize(missed);
  from_.missed = std::move(missed);
}

const std::vector<std::int64_t>* MissedFirstPlan::missed_in(std::int64_t step) const {
  LS_CHECK(step > from_.step, "a step that was made already");
  const std::int64_t number = step - from_.step - 1;
  return number < std::ssize(from_.missed) ? &from_.missed[static_cast<std::size_t>(number)] : nullptr;
}

std::int64_t MissedFirstPlan::largest_share() const {
  const std::int64_t of_rest = rest_->largest_share();
  if (of_rest == 0) return 0;
  const auto largest =
      static_cast<std::int64_t>(std::ranges::max(from_.missed, {}, &std::vector<std::int64_t>::size).size());
  return std::max(of_rest, (largest - 1) / shares() + 1);
}

MissedFirstPlan::Cursor MissedFirstPlan::cursor(std::int64_t step) const {
  const std::int64_t taken = step - from_.step;
  LS_CHECK(taken >= 0, "a step before the plan");
  if (taken >= std::ssize(from_.missed)) return rest_->cursor(step);
  Cursor cursor = rest_->from();
  cursor.step = step;
  cursor.missed.assign(from_.missed.begin() + taken, from_.missed.end());
  return cursor;
}

double MissedFirstPlan::epochs(std::int64_t step) const { return rest_->epochs(std::max(step, rest_->from().step)); }

std::int64_t MissedFirstPlan::global_count(std::int64_t step) const {
  const std::vector<std::int64_t>* const missed = missed_in(step);
  return missed != nullptr ? std::ssize(*missed) : rest_->global_count(step);
}

void MissedFirstPlan::share(std::int64_t step, int share, std::vector<std::int64_t>& sample_ids) const {
  const std::vector<std::int64_t>* const missed = missed_in(step);
  if (missed != nullptr) {
    rest_->share_of(*missed, share, sample_ids);
  } else {
    rest_->share(step, share, sample_ids);
  }
}

void MissedFirstPlan::share_of(std::span<const std::int64_t> batch, int share,
                               std::vector<std::int64_t>& sample_ids) const {
  rest_->share_of(batch, share, sample_ids);
}

void MissedFirstPlan::ahead(std::int64_t step, std::vector<std::int64_t>& blocks) const {
  if (missed_in(step) != nullptr) return blocks.clear();
  rest_->ahead(step, blocks);
}

BatchCursor after_missed(BatchCursor cursor) {
  cursor.step += std::ssize(cursor.missed);
  cursor.missed.clear();
  return cursor;
}

std::shared_ptr<const BatchPlan> plan_missed_first(BatchCursor from, std::int64_t samples, const PlanRest& plan_rest) {
  if (has_sample_beyond(from.missed, samples)) from.missed.clear();
  if (from.missed.empty()) return plan_rest(std::move(from));
  std::shared_ptr<const BatchPlan> rest = plan_rest(after_missed(from));
  return std::make_shared<MissedFirstPlan>(std::move(from.missed), std::move(rest));
}

BatchCursor cursor_after(const BatchPlan& plan, std::int64_t updates, std::int64_t next_batch,
                         std::span<const std::int64_t> unapplied) {
  LS_CHECK(std::ranges::is_sorted(unapplied), "unapplied batches out of order");
  LS_CHECK(unapplied.empty() || unapplied.back() < next_batch, "an unapplied batch that was not handed out");
  BatchCursor cursor = plan.cursor(next_batch - 1);
  cursor.step = updates;
  MissedBatches missed;
  for (const std::int64_t batch : unapplied) missed.push_back(samples_of_step(plan, batch));
  cursor.missed.insert(cursor.missed.begin(), std::move_iterator(missed.begin()), std::move_iterator(missed.end()));
  return cursor;
}

}  // namespace lockstep

#include "data/summed_plan.h"

#include <utility>

#include "base/error.h"

namespace lockstep {

SummedPlan::SummedPlan(std::shared_ptr<const BatchPlan> gradients, std::int64_t sum)
    : gradients_(std::move(gradients)), sum_(sum) {
  LS_CHECK(sum >= 1, "a sum of nothing");
}

std::int64_t SummedPlan::last_of(std::int64_t step) const {
  LS_CHECK(step >= from().step, "a step before the plan");
  return from().step + sum_ * (step - from().step);
}

template <class Use>
void SummedPlan::for_each_gradient(std::int64_t step, const Use& use) const {
  LS_CHECK(step > from().step, "a step that was made already");
  for (std::int64_t number = last_of(step - 1) + 1; number <= last_of(step); ++number) use(number);
}

std::int64_t SummedPlan::last_step_of(std::int64_t epochs) const {
  return from().step + rounded_up(gradients_->last_step_of(epochs) - from().step);
}

SummedPlan::Cursor SummedPlan::cursor(std::int64_t step) const {
  Cursor cursor = gradients_->cursor(last_of(step));
  cursor.step = step;
  return cursor;
}

std::int64_t SummedPlan::global_count(std::int64_t step) const {
  std::int64_t count = 0;
  for_each_gradient(step, [&](std::int64_t number) { count += gradients_->global_count(number); });
  return count;
}

void SummedPlan::share(std::int64_t step, int share, std::vector<std::int64_t>& sample_ids) const {
  sample_ids.clear();
  std::vector<std::int64_t> ids;
  for_each_gradient(step, [&](std::int64_t number) {
    gradients_->share(number, share, ids);
    sample_ids.insert(sample_ids.end(), ids.begin(), ids.end());
  });
}

void SummedPlan::share_of(std::span<const std::int64_t> batch, int share, std::vector<std::int64_t>& sample_ids) const {
  gradients_->share_of(batch, share, sample_ids);
}

void SummedPlan::ahead(std::int64_t step, std::vector<std::int64_t>& blocks) const {
  blocks.clear();
  std::vector<std::int64_t> of_gradient;
  for_each_gradient(step, [&](std::int64_t number) {
    gradients_->ahead(number, of_gradient);
    blocks.insert(blocks.end(), of_gradient.begin(), of_gradient.end());
  });
}

}  // namespace lockstep

#include "step_model.h"

#include <algorithm>
#include <cmath>

namespace lockstep::bench {
namespace {

// A backward pass computes two products where the forward pass computes one: gradients of inputs and of parameters.
constexpr double kBackwardShare = 2.0 / 3;

// The loss, its weight and requests, in a sum of their own before the first bucket (docs/collectives.md).
constexpr double kControlBytes = 64;

constexpr double kFloatBytes = 4;

double bucket_values(const TrainingStep& step) { return step.fusion_mb * (1 << 20) / kFloatBytes; }
double buckets(const TrainingStep& step) { return std::ceil(step.parameters / bucket_values(step)); }

// The sums of a step's buckets, one after the other.
struct BucketTimes {
  double all_ms;
  double last_ms;
};
BucketTimes bucket_times(const TrainingStep& step, const SumTime& sum_us) {
  const double whole = buckets(step) - 1;
  const double last_values = step.parameters - whole * bucket_values(step);
  const double last_ms = sum_us(last_values * bytes_of(step.wire), step.wire) * 1e-3;
  const double whole_ms = whole > 0 ? sum_us(bucket_values(step) * bytes_of(step.wire), step.wire) * 1e-3 : 0;
  return {.all_ms = whole * whole_ms + last_ms, .last_ms = last_ms};
}

// Communication and what of it is exposed; step_time() fills in the rest.
StepTime exchange_time(const TrainingStep& step, const SumTime& sum_us) {
  if (step.exchange == TrainingStep::Exchange::averaging) {
    const double ms = sum_us(step.parameters * kFloatBytes, WireType::float32) * 1e-3;
    const double of_step = ms / static_cast<double>(step.sync_every);
    return {.communication_ms = of_step, .exposed_ms = of_step};
  }
  const double control_ms = sum_us(kControlBytes, WireType::float32) * 1e-3;
  const BucketTimes sums = bucket_times(step, sum_us);
  const double overlap = step.overlap.value_or(overlap_of(step));
  // Behind the backward pass: the last bucket is complete only when the pass has ended, so its sum is never hidden.
  const double exposed_ms = step.exchange == TrainingStep::Exchange::delayed
                                ? std::max(0.0, sums.all_ms - step.compute_ms)
                                : std::max(sums.all_ms - overlap * kBackwardShare * step.compute_ms, sums.last_ms);
  return {.communication_ms = control_ms + sums.all_ms, .exposed_ms = control_ms + exposed_ms};
}

}  // namespace

double overlap_of(const TrainingStep& step) { return 1 - 1 / buckets(step); }

StepTime step_time(const TrainingStep& step, const SumTime& sum_us) {
  StepTime time = exchange_time(step, sum_us);
  time.step_ms = step.compute_ms + time.exposed_ms;
  time.efficiency = step.compute_ms / time.step_ms;
  return time;
}

}  // namespace lockstep::bench

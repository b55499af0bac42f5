#include "train/output/time_left.h"

namespace lockstep {
namespace {

// The time of an evaluation; 0 if none has shown it yet.
double evaluation_seconds(const PaceSoFar& pace, const std::optional<EvaluationUnderWay>& under_way) {
  if (pace.evaluations > 0) return pace.evaluating / static_cast<double>(pace.evaluations);
  return under_way && under_way->share > 0 ? under_way->seconds / under_way->share : 0;
}

}  // namespace

std::int64_t evaluations_left(std::int64_t step, std::int64_t steps, std::optional<std::int64_t> every) {
  if (!every || step >= steps) return 0;
  if (*every == 0) return 1;
  const bool one_more = steps % *every != 0;
  return steps / *every - step / *every + (one_more ? 1 : 0);
}

std::optional<double> time_left(const PaceSoFar& pace, std::int64_t steps, std::optional<std::int64_t> evaluate_every,
                                const std::optional<EvaluationUnderWay>& under_way) {
  const std::int64_t to_come = steps - pace.step;
  if (to_come > 0 && pace.measured == 0) return {};
  const double per_step = to_come > 0 ? pace.stepping / static_cast<double>(pace.measured) : 0;
  const double evaluation = evaluation_seconds(pace, under_way);
  const double rest = under_way ? evaluation * (1 - under_way->share) : 0;
  const auto due = static_cast<double>(evaluations_left(pace.step, steps, evaluate_every));
  return per_step * static_cast<double>(to_come) + evaluation * due + rest;
}

}  // namespace lockstep

#pragma once

#include <span>
#include <vector>

#include "step_model.h"
#include "sum_model.h"
#include "timings.h"

namespace lockstep::bench {

// A sum that was measured, beside what the model says of it.
struct ComparisonRow {
  SumTiming timing{};
  double predicted_us = 0;
  bool fitted = false;  // the model was fitted to it

  double error() const { return predicted_us / timing.us - 1; }
};

// The rows of all timings, in their order. REQUIRES: a model fitted to them.
std::vector<ComparisonRow> compare(std::span<const SumTiming> timings, const SumModel& model);

// The steps of a number of ranks.
struct ForecastRow {
  SumBackend backend{};
  HostGrid grid{};
  StepTime time{};
  bool extrapolated = false;  // beyond what was measured
};

// The rows of all backends of the model on all grids. timings: those measured, none if links were given.
std::vector<ForecastRow> forecast(std::span<const SumTiming> timings, const SumModel& model, const TrainingStep& step,
                                  std::span<const HostGrid> grids);

}  // namespace lockstep::bench

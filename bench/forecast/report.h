#pragma once

#include <span>
#include <string>

#include "rows.h"

namespace lockstep::bench {

// For people: the links of the model, and what was measured beside it; the forecast.
std::string links_table(const SumModel& model, std::span<const ComparisonRow> comparison);
std::string forecast_table(const TrainingStep& step, std::span<const ForecastRow> rows);

// The same as JSON, an object a line, whose "kind" is link, sum or step. A line of a step has its backend's link, too.
std::string links_json(const SumModel& model, std::span<const ComparisonRow> comparison);
std::string forecast_json(const SumModel& model, const TrainingStep& step, std::span<const ForecastRow> rows);

}  // namespace lockstep::bench

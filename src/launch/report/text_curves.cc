#include "launch/report/text_curves.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "base/text_plot.h"
#include "launch/report/charts.h"
#include "launch/report/facts.h"

namespace lockstep {
namespace {

constexpr std::size_t kPlotColumns = 60;
constexpr Interval kNothing{.lowest = std::numeric_limits<double>::quiet_NaN(),
                            .highest = std::numeric_limits<double>::quiet_NaN()};

struct Steps {
  std::int64_t first = std::numeric_limits<std::int64_t>::max();
  std::int64_t last = 0;
};

Steps steps_of(std::span<const Curve> curves) {
  Steps steps;
  for (const Curve& curve : curves) {  // its steps do not fall
    steps.first = std::min(steps.first, curve.table->steps.front());
    steps.last = std::max(steps.last, curve.table->steps.back());
  }
  return steps;
}

// Fills the columns between two that have values by linear interpolation: evaluations are few.
void join(std::vector<Interval>& columns, std::size_t from, std::size_t to) {
  const auto middle = [](const Interval& column) { return column.lowest / 2 + column.highest / 2; };
  for (std::size_t at = from + 1; at < to; ++at) {
    const double part = static_cast<double>(at - from) / static_cast<double>(to - from);
    const double value = middle(columns[from]) * (1 - part) + middle(columns[to]) * part;
    columns[at] = {.lowest = value, .highest = value};
  }
}

std::vector<Interval> columns_of(const Curve& curve, Steps axis) {
  std::vector<Interval> columns(kPlotColumns, kNothing);
  const std::vector<std::int64_t>& steps = curve.table->steps;
  const double width = std::max(1.0, static_cast<double>(axis.last) - static_cast<double>(axis.first));
  for (std::size_t at = 0; at < steps.size(); ++at) {
    const double value = curve.column->values[at];
    if (!std::isfinite(value)) continue;
    const double part = (static_cast<double>(steps[at]) - static_cast<double>(axis.first)) / width;
    Interval& column = columns[static_cast<std::size_t>(part * (kPlotColumns - 1))];
    column.lowest = std::isnan(column.lowest) ? value : std::min(column.lowest, value);
    column.highest = std::isnan(column.highest) ? value : std::max(column.highest, value);
  }
  std::size_t before = kPlotColumns;
  for (std::size_t at = 0; at < kPlotColumns; ++at) {
    if (std::isnan(columns[at].lowest)) continue;
    if (before < at) join(columns, before, at);
    before = at;
  }
  return columns;
}

std::string curve_text(const Curve& curve, const std::string& of_run, Steps axis, std::optional<Interval> values) {
  return fmt::format(
      "{}{} {}\n{}\n", of_run, title_of(curve.table->name), title_of(curve.column->name),
      text_plot(columns_of(curve, axis), {std::to_string(axis.first), fmt::format("step {}", axis.last)}, values));
}

// The curves of a chart, on axes that have room for all of them.
std::string compared(const Chart& chart, std::span<const Run> runs) {
  const Steps steps = steps_of(chart.curves);
  std::vector<Interval> all;
  all.reserve(chart.curves.size());
  for (const Curve& curve : chart.curves) all.push_back(interval_of_all(columns_of(curve, steps)));
  std::string text;
  for (const Curve& curve : chart.curves) {
    text += curve_text(curve, runs[curve.run].name + ": ", steps, interval_of_all(all));
  }
  return text;
}

}  // namespace

std::string text_curves(std::span<const Run> runs) {
  std::string text;
  for (const Chart& chart : charts_of(runs)) {
    if (chart.says_little) continue;
    if (runs.size() > 1) {
      text += compared(chart, runs);
      continue;
    }
    for (const Curve& curve : chart.curves) text += curve_text(curve, "", steps_of(std::span(&curve, 1)), {});
  }
  return text;
}

}  // namespace lockstep

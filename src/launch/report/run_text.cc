#include "launch/report/run_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/printable.h"
#include "base/text_plot.h"
#include "launch/report/charts.h"
#include "launch/report/facts.h"

namespace lockstep {
namespace {

constexpr std::size_t kPlotColumns = 60;
constexpr Interval kNothing{.lowest = std::numeric_limits<double>::quiet_NaN(),
                            .highest = std::numeric_limits<double>::quiet_NaN()};

// Columns between two that have values lie on the line between them: evaluations are few.
void join(std::vector<Interval>& columns, std::size_t from, std::size_t to) {
  const auto middle = [](const Interval& column) { return column.lowest / 2 + column.highest / 2; };
  for (std::size_t at = from + 1; at < to; ++at) {
    const double part = static_cast<double>(at - from) / static_cast<double>(to - from);
    const double value = middle(columns[from]) * (1 - part) + middle(columns[to]) * part;
    columns[at] = {.lowest = value, .highest = value};
  }
}

std::vector<Interval> columns_of(const Curve& curve) {
  std::vector<Interval> columns(kPlotColumns, kNothing);
  const std::vector<std::int64_t>& steps = curve.table->steps;
  const auto [first, last] = std::ranges::minmax(steps);
  const double width = std::max(1.0, static_cast<double>(last) - static_cast<double>(first));
  for (std::size_t at = 0; at < steps.size(); ++at) {
    const double value = curve.column->values[at];
    if (!std::isfinite(value)) continue;
    const double part = (static_cast<double>(steps[at]) - static_cast<double>(first)) / width;
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

std::string curve_text(const Curve& curve) {
  const auto [first, last] = std::ranges::minmax(curve.table->steps);
  return fmt::format("{} {}\n{}\n", title_of(curve.table->name), title_of(curve.column->name),
                     text_plot(columns_of(curve), {std::to_string(first), fmt::format("step {}", last)}));
}

std::string one_run_text(const Run& run) {
  std::string text = run.name + "\n\n";
  for (const auto& [name, value] : facts_of(run)) text += fmt::format("  {:<28} {}\n", name, value);
  text += "\n";
  for (const Chart& chart : charts_of(std::span(&run, 1))) {
    for (const Curve& curve : chart.curves) text += curve_text(curve);
  }
  return printable_message(text, std::numeric_limits<std::size_t>::max());
}

}  // namespace

std::string runs_text(std::span<const Run> runs) {
  std::string text;
  for (const Run& run : runs) text += one_run_text(run);
  return text;
}

}  // namespace lockstep

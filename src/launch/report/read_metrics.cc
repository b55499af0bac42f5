#include "launch/report/read_metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>

#include "train/output/metrics.h"
#include "train/output/metrics_lines.h"
#include "train/output/scalars.h"

namespace lockstep {
namespace {

constexpr std::size_t kMostTableColumns = 64;  // of a table; a file with more was not written by a run
constexpr double kNoValue = std::numeric_limits<double>::quiet_NaN();

MetricsTable& table_of(const std::string& name, Run& run) {
  const auto found = std::ranges::find(run.evaluations, name, &MetricsTable::name);
  return found != run.evaluations.end() ? *found : run.evaluations.emplace_back(MetricsTable{.name = name});
}

// Appends a line; false if that would make too many columns.
bool append(const Scalars& scalars, MetricsTable& table) {
  std::size_t fresh = 0;
  for (const auto& [name, value] : scalars.values) fresh += table.find(name) == nullptr ? 1 : 0;
  if (table.columns.size() + fresh > kMostTableColumns) return false;
  const std::size_t before = table.steps.size();
  table.steps.push_back(scalars.step);
  table.seconds.push_back(scalars.wall_seconds);
  for (const auto& [name, value] : scalars.values) {
    auto column = std::ranges::find(table.columns, name, &MetricsTable::Column::name);
    if (column == table.columns.end()) column = table.columns.insert(column, {.name = name});
    column->values.resize(before, kNoValue);
    column->values.push_back(value);
  }
  for (MetricsTable::Column& column : table.columns) column.values.resize(table.steps.size(), kNoValue);
  return true;
}

template <class Number>
void reorder(std::vector<Number>& numbers, const std::vector<std::size_t>& order) {
  std::vector<Number> reordered;
  reordered.reserve(numbers.size());
  for (const std::size_t at : order) reordered.push_back(numbers[at]);
  numbers = std::move(reordered);
}

// Sorts by steps: an evaluator repeats one if a run that resumed has saved it again.
void sort_by_step(MetricsTable& table) {
  if (std::ranges::is_sorted(table.steps)) return;
  std::vector<std::size_t> order(table.steps.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t at) { return table.steps[at]; });
  reorder(table.steps, order);
  reorder(table.seconds, order);
  for (MetricsTable::Column& column : table.columns) reorder(column.values, order);
}

// Adds a line to the run. Returns whether it says something.
bool add_line(Json line, const std::string& part, Run& run) {
  if (const std::optional<Scalars> scalars = scalars_of(line)) {
    if (scalars->split.empty()) return !part.empty() || append(*scalars, run.training);
    return append(*scalars, table_of(part.empty() ? scalars->split : part + "/" + scalars->split, run));
  }
  const std::string kind = text_member(line, "kind");
  std::vector<Json>* const list = kind == "start"   ? &run.starts
                                  : kind == "event" ? &run.events
                                  : kind == "end"   ? &run.ends
                                                    : nullptr;
  if (list != nullptr && part.empty()) list->push_back(std::move(line));
  return list != nullptr;
}

}  // namespace

void read_metrics(std::string_view text, const std::string& part, Run& run) {
  MetricsLines lines(text);
  for (MetricsLine line; lines.next(line);) {
    std::optional<Json> json = line.json();
    if (json && add_line(std::move(*json), part, run)) continue;
    if (run.lines_left_out++ == 0) {
      run.first_left_out = fmt::format("line {} of {}{}{}", line.number, part, part.empty() ? "" : "/", kMetricsFile);
    }
  }
  sort_by_step(run.training);
  std::ranges::for_each(run.evaluations, sort_by_step);
}

}  // namespace lockstep

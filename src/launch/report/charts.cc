#include "launch/report/charts.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <set>
#include <string_view>

#include "model/metric.h"

namespace lockstep {
namespace {

constexpr std::string_view kShares[] = {"share_data", "share_compute", "share_communication"};

constexpr std::int64_t kFewClasses = 20;

bool only_counts(std::string_view column) {
  return column == "samples" || column == "tokens" ||
         std::ranges::find(kMetrics, column, &Metric::count) != std::end(kMetrics);
}

bool is_drawn(const MetricsTable::Column& column) {
  if (only_counts(column.name) || column.name.starts_with(kSharePrefix)) return false;
  return std::ranges::any_of(column.values, [](double value) { return std::isfinite(value); });
}

Chart& chart_of(const std::string& name, std::vector<Chart>& charts) {
  const auto found = std::ranges::find(charts, name, &Chart::name);
  return found != charts.end() ? *found : charts.emplace_back(Chart{.name = name});
}

void add_curves(std::size_t run, const MetricsTable& table, std::vector<Chart>& charts) {
  for (const MetricsTable::Column& column : table.columns) {
    if (is_drawn(column)) chart_of(column.name, charts).curves.push_back({run, &table, &column});
  }
}

bool is_constant(const Curve& curve) {
  std::vector<double> finite;
  std::ranges::copy_if(curve.column->values, std::back_inserter(finite),
                       [](double value) { return std::isfinite(value); });
  return finite.size() > 1 && std::ranges::all_of(finite, [&](double value) { return value == finite.front(); });
}

// True for a metric whose curve is the loss's, stretched or mirrored.
bool is_loss_in_another_unit(const Metric& metric) {
  if (metric.of_loss == nullptr) return false;
  const double first = metric.of_loss(0), second = metric.of_loss(1), third = metric.of_loss(2);
  return std::abs((third - second) - (second - first)) < 1e-9;
}

// The smallest number of classes; 0 if a run does not say it.
std::int64_t fewest_classes(std::span<const Run> runs) {
  std::int64_t fewest = std::numeric_limits<std::int64_t>::max();
  for (const Run& run : runs) {
    fewest = std::min(fewest, run.starts.empty() ? 0 : whole_member(run.starts.back(), "classes"));
  }
  return fewest;
}

bool says_little(const Chart& chart, std::span<const Run> runs) {
  const Metric* const metric = find_metric(chart.name);
  if (metric == nullptr) return std::ranges::all_of(chart.curves, is_constant);
  return is_loss_in_another_unit(*metric) || (metric->of_more_than > 0 && fewest_classes(runs) <= kFewClasses);
}

}  // namespace

std::vector<Chart> charts_of(std::span<const Run> runs) {
  std::vector<Chart> charts{{.name = "loss"}};
  // Metrics come before columns that only train lines have: first the order of the charts, then that of the curves in
  // them.
  for (const Run& run : runs) {
    for (const MetricsTable& table : run.evaluations) {
      for (const MetricsTable::Column& column : table.columns) {
        if (is_drawn(column)) chart_of(column.name, charts);
      }
    }
  }
  for (std::size_t run = 0; run < runs.size(); ++run) {
    for (const MetricsTable* const table : tables_of(runs[run])) add_curves(run, *table, charts);
  }
  std::erase_if(charts, [](const Chart& chart) { return chart.curves.empty(); });
  for (Chart& chart : charts) chart.says_little = says_little(chart, runs);
  return charts;
}

std::vector<Curve> time_split(const Run& run) {
  std::vector<Curve> curves;
  for (const std::string_view share : kShares) {
    const MetricsTable::Column* const column = run.training.find(share);
    if (column == nullptr) return {};
    curves.push_back({.table = &run.training, .column = column});
  }
  return curves;
}

std::vector<std::size_t> thinned(std::span<const double> values, std::size_t buckets) {
  std::set<std::size_t> kept;
  if (values.size() <= 3 * buckets) {
    for (std::size_t at = 0; at < values.size(); ++at) kept.insert(kept.end(), at);
    return {kept.begin(), kept.end()};
  }
  kept = {0, values.size() - 1};
  for (std::size_t bucket = 0; bucket < buckets; ++bucket) {
    const std::size_t begin = bucket * values.size() / buckets;
    const std::size_t end = (bucket + 1) * values.size() / buckets;
    std::size_t none = end, lowest = end, highest = end;
    for (std::size_t at = begin; at < end; ++at) {
      if (std::isnan(values[at])) {
        none = std::min(none, at);
      } else {
        if (lowest == end || values[at] < values[lowest]) lowest = at;
        if (highest == end || values[at] > values[highest]) highest = at;
      }
    }
    for (const std::size_t at : {none, lowest, highest}) {
      if (at < end) kept.insert(at);
    }
  }
  return {kept.begin(), kept.end()};
}

}  // namespace lockstep

#include "launch/report/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "launch/report/facts.h"
#include "launch/report/text_table.h"
#include "model/metric.h"
#include "train/output/readable_numbers.h"

namespace lockstep {
namespace {

constexpr const char* kUnknown = "-";

// The values of a column of train lines that are finite, in order.
std::vector<double> finite_values(const Run& run, std::string_view name) {
  std::vector<double> values;
  if (const MetricsTable::Column* const column = run.training.find(name)) {
    std::ranges::copy_if(column->values, std::back_inserter(values), [](double value) { return std::isfinite(value); });
  }
  return values;
}

std::string ranks_of(const Run& run) {
  const std::int64_t ranks = run.starts.empty() ? 0 : whole_member(run.starts.back(), "ranks");
  return ranks == 0 ? kUnknown : std::to_string(ranks);
}

std::int64_t last_step(const Run& run) {
  std::int64_t step = run.ends.empty() ? 0 : whole_member(run.ends.back(), "step");
  for (const MetricsTable* const table : tables_of(run)) {
    if (!table->steps.empty()) step = std::max(step, table->steps.back());
  }
  return step;
}

std::string last_loss(const Run& run) {
  const std::vector<double> losses = finite_values(run, "loss");
  return losses.empty() ? kUnknown : rounded(losses.back());
}

std::string speed_of(const Run& run) {
  std::vector<double> speeds = finite_values(run, "examples_per_second");
  if (speeds.empty()) return kUnknown;
  const auto middle = speeds.begin() + std::ssize(speeds) / 2;
  std::ranges::nth_element(speeds, middle);
  return rounded(*middle);
}

// The best value as a text, "dev accuracy 0.97", and its step.
std::vector<std::string> best_of_run(const Run& run) {
  for (const MetricsTable& table : run.evaluations) {
    for (const Metric& metric : kMetrics) {
      const MetricsTable::Column* const column = table.find(metric.name);
      if (column == nullptr) continue;
      const std::size_t best = best_of(*column, metric);
      if (!std::isfinite(column->values[best])) continue;
      return {fmt::format("{} {} {}", title_of(table.name), title_of(column->name), rounded(column->values[best])),
              std::to_string(table.steps[best])};
    }
  }
  return {kUnknown, kUnknown};
}

}  // namespace

std::string comparison_text(std::span<const Run> runs) {
  std::vector<std::vector<std::string>> rows{
      {"run", "ranks", "steps", "last loss", "best", "at step", "samples/s", "time"}};
  for (const Run& run : runs) {
    const std::vector<std::string> best = best_of_run(run);
    rows.push_back({run.name, ranks_of(run), std::to_string(last_step(run)), last_loss(run), best[0], best[1],
                    speed_of(run), duration_text(seconds_of(run))});
  }
  return text_table(rows);
}

}  // namespace lockstep

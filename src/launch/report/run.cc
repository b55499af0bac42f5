#include "launch/report/run.h"

#include <algorithm>
#include <cmath>

#include "model/metric.h"

namespace lockstep {

const MetricsTable::Column* MetricsTable::find(std::string_view column) const {
  const auto found = std::ranges::find(columns, column, &Column::name);
  return found == columns.end() ? nullptr : &*found;
}

std::vector<const MetricsTable*> tables_of(const Run& run) {
  std::vector<const MetricsTable*> tables{&run.training};
  for (const MetricsTable& table : run.evaluations) tables.push_back(&table);
  return tables;
}

std::size_t best_of(const MetricsTable::Column& column, const Metric& metric) {
  std::size_t best = 0;
  for (std::size_t at = 1; at < column.values.size(); ++at) {
    const double gain = metric.better == Metric::Better::higher ? column.values[at] - column.values[best]
                                                                : column.values[best] - column.values[at];
    if (gain > 0 || std::isnan(column.values[best])) best = at;
  }
  return best;
}

}  // namespace lockstep

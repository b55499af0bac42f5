#include "rows.h"

namespace lockstep::bench {

std::vector<ComparisonRow> compare(std::span<const SumTiming> timings, const SumModel& model) {
  std::vector<ComparisonRow> rows;
  rows.reserve(timings.size());
  for (const SumTiming& timing : timings) {
    const auto bytes = static_cast<double>(timing.bytes);
    // On one host all backends are the same to the model.
    const SumBackend backend = timing.backend.value_or(SumBackend::hierarchical);
    rows.push_back({.timing = timing,
                    .predicted_us = model.sum_us(backend, bytes, WireType::float32, timing.grid),
                    .fitted = !timing.backend || timing.grid.hosts == fewest_hosts(timings, backend)});
  }
  return rows;
}

std::vector<ForecastRow> forecast(std::span<const SumTiming> timings, const SumModel& model, const TrainingStep& step,
                                  std::span<const HostGrid> grids) {
  std::vector<ForecastRow> rows;
  for (const auto& [backend, link] : model.between) {
    for (const HostGrid& grid : grids) {
      const auto sum_us = [&, backend = backend](double bytes, WireType wire) {
        return model.sum_us(backend, bytes, wire, grid);
      };
      rows.push_back({.backend = backend,
                      .grid = grid,
                      .time = step_time(step, sum_us),
                      .extrapolated = !covers(timings, backend, grid)});
    }
  }
  return rows;
}

}  // namespace lockstep::bench

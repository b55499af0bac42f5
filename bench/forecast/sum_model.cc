#include "sum_model.h"

#include <vector>

namespace lockstep::bench {
namespace {

// In shared memory ranks meet twice, and each byte is summed once (docs/collectives.md: slices in place).
Cost host_cost(double bytes) { return {.rounds = 2, .bytes = bytes}; }

double host_us(const Link& host, double bytes, HostGrid grid) {
  return grid.ranks_per_host == 1 ? 0 : time_us(host, host_cost(bytes));
}

// The time of hierarchical in the hosts: a sum before the leaders' and a broadcast after it, which moves as many bytes.
double around_leaders_us(const Link& host, double bytes, HostGrid grid) { return 2 * host_us(host, bytes, grid); }

Cost between_cost(SumBackend backend, double bytes, WireType wire, HostGrid grid) {
  const HostGrid talking{.hosts = grid.hosts,
                         .ranks_per_host = backend == SumBackend::hierarchical ? 1 : grid.ranks_per_host};
  return cost_of(algorithm_of(backend, bytes, wire, talking), bytes, talking);
}

}  // namespace

double SumModel::sum_us(SumBackend backend, double bytes, WireType wire, HostGrid grid) const {
  if (grid.hosts == 1) return host_us(host, bytes, grid);
  const double around = backend == SumBackend::hierarchical ? around_leaders_us(host, bytes, grid) : 0;
  return around + time_us(between.at(backend), between_cost(backend, bytes, wire, grid));
}

SumModel fit_sums(std::span<const SumTiming> timings, const Link& host) {
  SumModel model{.host = host, .between = {}};
  std::vector<Sample> in_host;
  for (const SumTiming& timing : timings) {
    if (!timing.backend) in_host.push_back({host_cost(static_cast<double>(timing.bytes)), 0, timing.us});
  }
  if (!in_host.empty()) model.host = fit_link(in_host);

  std::map<SumBackend, std::vector<Sample>> samples;
  for (const SumTiming& timing : timings) {
    if (!timing.backend || timing.grid.hosts != fewest_hosts(timings, *timing.backend)) continue;
    const auto bytes = static_cast<double>(timing.bytes);
    const bool around = *timing.backend == SumBackend::hierarchical;
    samples[*timing.backend].push_back({between_cost(*timing.backend, bytes, WireType::float32, timing.grid),
                                        around ? around_leaders_us(model.host, bytes, timing.grid) : 0, timing.us});
  }
  for (const auto& [backend, of_backend] : samples) model.between[backend] = fit_link(of_backend);
  return model;
}

}  // namespace lockstep::bench

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "base/median.h"
#include "collective/collective_table.h"

namespace lockstep {
namespace {

constexpr double kNoise = 0.05;

using Times = std::vector<double>;
using Backends = std::map<std::string, Times, std::less<>>;
using World = std::pair<int, int>;  // hosts, ranks a host

bool is_better(const Times& times, const Times& mpi) {
  return median(times) < (1 - kNoise) * median(mpi) && std::ranges::min(times) <= std::ranges::min(mpi);
}

std::string fastest(const Backends& backends, std::string_view alternative) {
  const auto other = backends.find(alternative);
  const bool better = other != backends.end() && is_better(other->second, backends.at("mpi"));
  return better ? other->first : "mpi";
}

}  // namespace

CollectiveTable fastest_collectives(std::span<const CollectiveTiming> timings) {
  std::map<World, std::map<std::int64_t, Backends>> worlds;
  for (const CollectiveTiming& timing : timings) {
    if (timing.operation != "all_reduce") continue;
    worlds[{timing.hosts, timing.ranks_per_host}][timing.bytes][timing.backend].push_back(timing.time_us);
  }
  CollectiveTable table;
  for (const auto& [world, sizes] : worlds) {
    CollectiveTable::Row row{.hosts = world.first, .ranks_per_host = world.second, .ranges = {}};
    for (const auto& [bytes, backends] : sizes) {
      if (!backends.contains("mpi")) continue;
      const std::string chosen = fastest(backends, alternative_to_mpi(row.hosts, row.ranks_per_host));
      if (row.ranges.empty()) {
        row.ranges.push_back({0, chosen});
      } else if (chosen != row.ranges.back().backend) {
        row.ranges.push_back({bytes, chosen});
      }
    }
    if (!row.ranges.empty()) table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace lockstep

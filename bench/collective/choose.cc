#include "choose.h"

#include <algorithm>

namespace lockstep::bench {

Layout layout_of(Communicator& world, int local_rank) {
  const std::vector<int> local_ranks = all_gather_value(world, local_rank);
  return {.hosts = static_cast<int>(std::ranges::count(local_ranks, 0)),
          .ranks_per_host = std::ranges::max(local_ranks) + 1};
}

void append_timings(std::vector<CollectiveTiming>& timings, const Layout& layout, const Case& c,
                    std::span<const Result> results) {
  for (const Result& result : results) {
    for (const double us : result.round_us) {
      timings.push_back({.operation = "all_reduce",
                         .bytes = c.bytes,
                         .ranks_per_host = layout.ranks_per_host,
                         .hosts = layout.hosts,
                         .backend = result.backend,
                         .time_us = us});
    }
  }
}

}  // namespace lockstep::bench

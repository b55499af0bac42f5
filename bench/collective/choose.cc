#include "choose.h"

namespace lockstep::bench {

void append_timings(std::vector<CollectiveTiming>& timings, const HostLayout& hosts, const Case& c,
                    std::span<const Result> results) {
  for (const Result& result : results) {
    for (const double us : result.round_us) {
      timings.push_back({.operation = "all_reduce",
                         .bytes = c.bytes,
                         .ranks_per_host = hosts.most_ranks(),
                         .hosts = hosts.hosts(),
                         .backend = result.backend,
                         .time_us = us});
    }
  }
}

}  // namespace lockstep::bench

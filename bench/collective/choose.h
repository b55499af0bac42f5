#pragma once

#include <span>
#include <string>
#include <vector>

#include "case.h"
#include "collective/collective_table.h"
#include "collective/communicator.h"
#include "measurement.h"

namespace lockstep::bench {

// Where the ranks of a world are.
struct Layout {
  int hosts = 1;
  int ranks_per_host = 1;  // the most that a host has
};

// local_rank: this rank's number on its host. COLLECTIVE.
Layout layout_of(Communicator& world, int local_rank);

// The rounds of a case's results, as collective/collective_table.h takes them.
void append_timings(std::vector<CollectiveTiming>& timings, const Layout& layout, const Case& c,
                    std::span<const Result> results);

}  // namespace lockstep::bench

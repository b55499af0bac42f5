#pragma once

#include <span>
#include <string>
#include <vector>

#include "case.h"
#include "collective/collective_table.h"
#include "collective/host_layout.h"
#include "measurement.h"

namespace lockstep::bench {

// Appends the rounds of a case's results in the form that collective/collective_table.h takes, always as all-reduces.
void append_timings(std::vector<CollectiveTiming>& timings, const HostLayout& hosts, const Case& c,
                    std::span<const Result> results);

}  // namespace lockstep::bench

#pragma once

#include <map>
#include <span>

#include "cost.h"
#include "link.h"
#include "timings.h"

namespace lockstep::bench {

// The time of sums in a host and between hosts. A plain value.
struct SumModel {
  Link host{};                         // memory that the ranks of a host share
  std::map<SumBackend, Link> between;  // for each backend that was measured, or whose link was given

  // The time of a sum of `bytes`. On one host it is summed in shared memory, whatever sums between hosts. REQUIRES: the
  // backend is in `between`.
  double sum_us(SumBackend backend, double bytes, WireType wire, HostGrid grid) const;
};

// The model fitted to the timings of the fewest hosts, from two on, of each backend; the others are for comparison. The
// link of the host is fitted to timings of one host, or stays as it is given if there are none.
SumModel fit_sums(std::span<const SumTiming> timings, const Link& host);

}  // namespace lockstep::bench

#pragma once

#include <cstdint>

#include "collective/communicator.h"
#include "train/output/phase_seconds.h"

namespace lockstep {

// What a run has cost, over all its ranks.
struct RunCosts {
  PhaseSeconds shares{};  // of a rank's time, the mean over the ranks that compute
  // Of `communication`, what is known to have been waiting: such a rank moves no fewer bytes than the others, so the
  // one that has spent the least time on communication shows how long it takes at most. The mean of what the others
  // spent beyond that.
  double waiting = 0;
  std::int64_t peak_memory_bytes = 0;  // of the rank that had the most; 0: not known
};

// mine: of this rank, since `seconds` ago. computes: whether it has a share of the data; one of the ranks has. A rank
// without waits for the others all the time. COLLECTIVE; every rank gets the same.
RunCosts gather_costs(Communicator& ranks, const PhaseSeconds& mine, double seconds, bool computes);

}  // namespace lockstep

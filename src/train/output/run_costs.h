#pragma once

#include <cstdint>

#include "collective/communicator.h"
#include "train/output/phase_seconds.h"

namespace lockstep {

// The costs of a run, over all its ranks.
struct RunCosts {
  PhaseSeconds shares{};  // parts of a rank's time, the mean over the ranks that compute
  // The part of `communication` that is known to be waiting. All these ranks move the same number of bytes, so the
  // least time that one of them spent on communication is the most that the exchange itself takes. This is the mean of
  // the time beyond that.
  double waiting = 0;
  std::int64_t peak_memory_bytes = 0;  // peak memory of the rank that used the most; 0: not known
};

// The costs over all ranks. mine: this rank's phases in the last `seconds`. computes: it has a share of the data; a
// rank without one waits for the others all the time. COLLECTIVE; every rank gets the same. REQUIRES: one of them
// computes.
RunCosts gather_costs(Communicator& ranks, const PhaseSeconds& mine, double seconds, bool computes);

}  // namespace lockstep

#pragma once

#include <cstdint>
#include <vector>

#include "collective/mpi/mpi_session.h"
#include "options.h"

namespace lockstep::bench {

// Seconds of client 0's pushes, until all servers have the gradient whole. On client 0.
struct PushDelays {
  std::vector<double> beside{};  // while each other client computes for a second
  std::vector<double> alone{};   // while the others have taken no batch
};

// Measures both once and appends them to `delays`. The others sleep in both, in place of computing: what is measured is
// not whether there are cores enough. COLLECTIVE.
void measure_delays(MpiSession& session, const PsOptions& options, PsTransport transport, std::int64_t bytes,
                    PushDelays& delays);

}  // namespace lockstep::bench

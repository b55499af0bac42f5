#pragma once

#include <cstdint>
#include <vector>

#include "collective/mpi/mpi_session.h"
#include "options.h"

namespace lockstep::bench {

// Seconds of client 0's pushes, until all servers have the gradient whole. On client 0.
struct PushDelays {
  std::vector<double> beside{};  // while each other client computes for a second
  std::vector<double> alone{};   // after the others have left
};

// Measures both once and appends them to `delays`. Others sleep in place of computing: cores are not what is measured.
// COLLECTIVE.
void measure_delays(MpiSession& session, const PsOptions& options, PsTransport transport, std::int64_t bytes,
                    PushDelays& delays);

}  // namespace lockstep::bench

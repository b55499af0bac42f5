#pragma once

#include <cstdint>
#include <vector>

#include "collective/mpi/mpi_session.h"
#include "options.h"

namespace lockstep::bench {

// Client 0's times of pulls, or of pushes, in seconds, each beside that of a memcpy of as many bytes.
struct MovedTimes {
  std::vector<double> seconds{};
  std::vector<double> memcpy_seconds{};
};

struct TransferTimes {
  MovedTimes pull{};  // from the answer to take() until the values of all servers are there
  MovedTimes push{};  // until all servers have the gradient whole
  std::int64_t wrong = 0;
};

// Client 0 pulls and pushes by turns, each followed by a memcpy; the other clients do nothing. Times are appended to
// `times`, on client 0. COLLECTIVE.
void measure_transfers(MpiSession& session, const PsOptions& options, PsTransport transport, std::int64_t bytes,
                       TransferTimes& times);

}  // namespace lockstep::bench

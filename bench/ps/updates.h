#pragma once

#include <cstdint>
#include <vector>

#include "collective/mpi/mpi_session.h"
#include "options.h"

namespace lockstep::bench {

// One size, transport and bound.
struct UpdateCase {
  PsTransport transport{};
  std::int64_t bytes = 0;
  StalenessBound max_staleness{};
};

// The results of all rounds of a case. The same on every rank.
struct UpdateTimes {
  std::vector<double> per_second{};       // updates of all clients together, of each round
  std::vector<double> share{};            // of the sum of the clients' speeds; empty without computation
  std::vector<std::int64_t> staleness{};  // of each staleness, the number of gradients; the last: and above
  std::vector<std::int64_t> batches{};    // of each client
  std::int64_t wrong = 0;
};

// Runs the whole protocol once, with plain SGD and, in place of computations, sleeps, and adds what it gives to
// `times`. A client's speed is what its computations alone, as long as they have taken, would allow. COLLECTIVE.
void measure_updates(MpiSession& session, const PsOptions& options, const UpdateCase& c, UpdateTimes& times);

}  // namespace lockstep::bench

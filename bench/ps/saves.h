#pragma once

#include <cstdint>
#include <vector>

#include "collective/mpi/mpi_session.h"
#include "options.h"

namespace lockstep::bench {

// Steps per second of the clients that do not save, of each round. On client 0.
struct SaveTimes {
  std::vector<double> before{};   // while client 0 sleeps
  std::vector<double> beside{};   // while it saves, one time after the other
  std::vector<double> seconds{};  // of a save: the servers' state fetched, written into a file, and flushed to the disk
};

// Measures all once and appends them to `times`. The others sleep for options.compute_s in each step. COLLECTIVE.
void measure_saves(MpiSession& session, const PsOptions& options, PsTransport transport, std::int64_t bytes,
                   SaveTimes& times);

}  // namespace lockstep::bench

#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "bench_client.h"
#include "collective/mpi/mpi_session.h"
#include "options.h"

namespace lockstep::bench {

// A job of real servers and clients on all ranks of a session. A plain value.
struct PsJob {
  PsTransport transport{};
  int servers = 1;         // the last ranks
  std::int64_t bytes = 0;  // of the whole store
  std::int64_t batches = 0;
  StalenessBound max_staleness{};
  bool announces = false;  // servers tell when gradients are whole
};

// The first server's view of a job.
struct PsServed {
  double updates_per_second = 0;          // TimedSequencer's
  std::vector<std::int64_t> staleness{};  // Sequencer's
};

// Calls `client` on each client, which leaves afterwards. Returns what the first server has seen, there, and nothing on
// the other ranks. Every wait ends with an Error after ten minutes. COLLECTIVE; ranks meet before and after it.
PsServed run_ps_job(MpiSession& session, const PsJob& job, const std::function<void(BenchClient&)>& client);

// Returns the value of each rank, in their order. COLLECTIVE.
template <class Value>
std::vector<Value> gather_value(MpiSession& session, const Value& own) {
  std::vector<Value> all(static_cast<std::size_t>(session.size()));
  session.all_gather(std::as_bytes(std::span(&own, 1)), std::as_writable_bytes(std::span(all)));
  return all;
}

}  // namespace lockstep::bench

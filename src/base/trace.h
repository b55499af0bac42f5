#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <string>

#include "base/clock.h"

// What this rank is doing: for its time shares, and for the watchdog that has to name who did not arrive.
namespace lockstep {

// What a rank's main thread is doing. In a long_phase() the watchdog waits ten times --hang_timeout.
enum class Phase : std::uint32_t { start, data, compute, communicate, read, write, evaluate, finish };
inline constexpr int kPhases = 8;

const char* name(Phase phase);
bool long_phase(Phase phase);

// A collective in progress, on whichever thread runs it.
enum class Operation : std::uint32_t {
  none,
  all_reduce,
  tree_all_reduce,
  broadcast,
  all_gather,
  exchange,
  barrier,
  split,
  finalize
};

const char* name(Operation operation);

// One rank's line of the status page: one cache line, in memory that all ranks of the host may map. Its own rank
// writes it with plain atomic stores (no MPI, no lock); the watchdogs of the host read it at any time. Each field is
// right by itself; two fields may belong to neighbouring moments.
struct alignas(64) StatusLine {
  std::atomic<std::int64_t> step{0};
  std::atomic<std::int64_t> phase_since_ns{0};      // monotonic_ns(), one clock for the whole host
  std::atomic<std::int64_t> operation_since_ns{0};  // of the operation in progress, else of the end of the last one
  std::atomic<std::int64_t> bytes{0};               // payload of the operation in progress
  std::atomic<std::int64_t> alive_ns{0};            // last sign of life of the rank's watchdog; 0 = it has none
  std::atomic<Phase> phase{Phase::start};
  std::atomic<Operation> operation{Operation::none};
  std::atomic<std::uint32_t> sequence{0};  // collectives entered so far
  std::atomic<std::int32_t> rank{-1};      // in the world; -1 = line not in use
};
static_assert(sizeof(StatusLine) == 64, "one cache line a rank");

// This rank's marker: phases on the main thread, operations on the thread that communicates (one at a time), and the
// last operations in a fixed ring. Owned by main (by the test's rank thread), passed to whoever works, never global.
class Trace {
 public:
  static constexpr int kRing = 32;
  // line must outlive the Trace.
  explicit Trace(StatusLine& line, int rank);
  Trace(const Trace&) = delete;
  Trace& operator=(const Trace&) = delete;

  void step(std::int64_t step) { line_.step.store(step, std::memory_order_relaxed); }

  // Enters a phase; the time until the next change is counted for it. Main thread only.
  class PhaseScope {  // restores the phase before
   public:
    PhaseScope(Trace& trace, Phase phase) : trace_(trace), before_(trace.switch_to(phase)) {}
    ~PhaseScope() { trace_.switch_to(before_); }
    PhaseScope(const PhaseScope&) = delete;
    PhaseScope& operator=(const PhaseScope&) = delete;

   private:
    Trace& trace_;
    Phase before_;
  };
  [[nodiscard]] PhaseScope enter(Phase phase) { return {*this, phase}; }

  // Marks a collective in progress until the scope ends. One at a time, on whichever thread communicates.
  class OperationScope {
   public:
    OperationScope(Trace& trace, Operation operation, std::int64_t bytes);
    ~OperationScope();
    OperationScope(const OperationScope&) = delete;
    OperationScope& operator=(const OperationScope&) = delete;

   private:
    Trace& trace_;
    std::int64_t start_ns_;
    std::uint32_t sequence_;
  };
  [[nodiscard]] OperationScope begin(Operation operation, std::int64_t bytes) { return {*this, operation, bytes}; }

  // Seconds of the main thread in a phase so far, the current one included. Main thread only.
  double seconds_in(Phase phase) const;

  // The last operations, newest first, a line each. Any thread; an entry being written may be torn in its numbers.
  std::string last_operations(int count) const;

  const StatusLine& line() const { return line_; }

 private:
  // One operation of the ring. Atomic because the watchdog reads while the next one is being written.
  struct Entry {
    std::atomic<Operation> operation{Operation::none};
    std::atomic<std::uint32_t> sequence{0};
    std::atomic<std::int64_t> step{0};
    std::atomic<std::int64_t> bytes{0};
    std::atomic<double> seconds{kRunning};
  };
  static constexpr double kRunning = -1;

  Phase switch_to(Phase phase);  // returns the phase before
  Entry& entry(std::uint32_t sequence) { return ring_[sequence % kRing]; }

  StatusLine& line_;
  std::array<std::int64_t, kPhases> phase_ns_{};
  std::array<Entry, kRing> ring_{};
};

}  // namespace lockstep

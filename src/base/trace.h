#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <utility>

#include "base/clock.h"

// Records what this rank is doing, for its time shares, and for the watchdog, which has to name the ranks that did not
// arrive.
namespace lockstep {

// Phases of a rank's main thread. In a long_phase() the watchdog waits ten times --hang_timeout.
enum class Phase : std::uint32_t { start, data, compute, communicate, read, write, evaluate, finish };
inline constexpr int kPhases = 8;

const char* name(Phase phase);
bool long_phase(Phase phase);

// The kind of a collective in progress, on whichever thread runs it.
enum class Operation : std::uint32_t {
  none,
  all_reduce,
  tree_all_reduce,
  reduce_scatter,
  broadcast,
  all_gather,
  barrier,
  exchange,
  split,
  allocate,
  finalize
};

const char* name(Operation operation);

// Collectives are counted group by group: the ranks of a group enter the same ones in the same order, so their counts
// show which ranks have entered one and which have not. A group has the same number on all its ranks; another group of
// one of them has that number only by chance (2^-32).
inline constexpr std::uint32_t kNoGroup = 0;
inline constexpr std::uint32_t kWorldGroup = 1;

// The number of the group that ranks of `color` form at the nth split (n = 1, 2, ...) of `parent`: mixed, not counted,
// because ranks that split off elsewhere count differently.
std::uint32_t split_group(std::uint32_t parent, std::uint32_t nth, int color);

// One rank's line of the status page: two cache lines, in memory that all ranks of the host may map. Its own rank
// writes it with plain atomic stores (no MPI, no lock); the watchdogs of the host read it at any time. Each field is
// right by itself; two fields may belong to slightly different moments.
struct alignas(64) StatusLine {
  std::atomic<std::int64_t> step{0};
  std::atomic<std::int64_t> phase_since_ns{0};      // monotonic_ns(), one clock for the whole host
  std::atomic<std::int64_t> operation_since_ns{0};  // start of the operation in progress, else end of the last one
  std::atomic<std::int64_t> bytes{0};               // payload of the operation in progress
  std::atomic<std::int64_t> alive_ns{0};            // last sign of life of the rank's watchdog; 0 = it has none
  std::atomic<Phase> phase{Phase::start};
  std::atomic<Operation> operation{Operation::none};
  std::atomic<std::uint32_t> sequence{0};        // number of the current or the last operation, over all groups
  std::atomic<std::int32_t> rank{-1};            // in the world; -1 = line not in use
  std::atomic<std::uint32_t> group{kNoGroup};    // group of the operation in progress
  std::atomic<std::uint32_t> group_sequence{0};  // its number in that group

  // A group that this rank is in, and how many collectives of the group it has entered.
  struct Group {
    std::atomic<std::uint32_t> number{kNoGroup};  // kNoGroup = not in use
    std::atomic<std::uint32_t> entered{0};
  };
  static constexpr int kGroups = 8;
  std::array<Group, kGroups> groups{};
};
static_assert(sizeof(StatusLine) == 128, "a cache line for what happens, one for the groups");

// This rank's marker: phases on the main thread, operations on any thread that communicates, and the last operations in
// a fixed ring. Owned by main (by the test's rank thread), passed on, never global. Any thread may begin and end
// operations and memberships: work that a GPU does for this rank ends while its threads do something else.
class Trace {
 public:
  static constexpr int kRing = 32;
  // line must outlive the Trace.
  explicit Trace(StatusLine& line, int rank);
  Trace(const Trace&) = delete;
  Trace& operator=(const Trace&) = delete;

  void step(std::int64_t step) { line_.step.store(step, std::memory_order_relaxed); }

  // Enters a phase; the time until the next change is counted for it. Main thread only.
  class PhaseScope {  // restores the previous phase
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

  // This rank is in a group as long as one of these lives; the world needs none. Hang verdicts cover at most as many
  // groups as a status line has places for.
  class Membership {
   public:
    Membership(Trace& trace, std::uint32_t group);
    ~Membership();
    Membership(const Membership&) = delete;
    Membership& operator=(const Membership&) = delete;

    std::uint32_t group() const { return group_; }

   private:
    Trace& trace_;
    std::uint32_t group_;
  };

  // Marks a collective in progress until it is destroyed. May be kept and moved, for an operation that continues after
  // the call that has started it; while several are in progress, the status line shows the one entered first.
  class OperationScope {
   public:
    OperationScope(Trace& trace, Operation operation, std::int64_t bytes, std::uint32_t group);
    ~OperationScope() { end(); }
    OperationScope(OperationScope&& from) noexcept
        : trace_(std::exchange(from.trace_, nullptr)), sequence_(from.sequence_) {}
    OperationScope& operator=(OperationScope&& from) noexcept;

   private:
    void end() noexcept;

    Trace* trace_;
    std::uint32_t sequence_;
  };
  [[nodiscard]] OperationScope begin(Operation operation, std::int64_t bytes, std::uint32_t group = kWorldGroup) {
    return {*this, operation, bytes, group};
  }

  // Seconds that the main thread has spent in a phase until now. Main thread only.
  double seconds_in(Phase phase) const;

  // The last operations, newest first, a line each. Any thread; an entry being written may be torn in its numbers.
  std::string last_operations(int count) const;

  const StatusLine& line() const { return line_; }

 private:
  // One operation of the ring. Atomic because the watchdog reads while the next one is being written.
  struct Entry {
    std::atomic<Operation> operation{Operation::none};
    std::atomic<std::uint32_t> sequence{0};
    std::uint32_t group = kNoGroup;  // not read by the watchdog, nor are the next two
    std::uint32_t group_sequence = 0;
    std::int64_t start_ns = 0;
    std::atomic<std::int64_t> step{0};
    std::atomic<std::int64_t> bytes{0};
    std::atomic<double> seconds{kRunning};
  };
  static constexpr double kRunning = -1;

  Phase switch_to(Phase phase);  // returns the phase before
  Entry& entry(std::uint32_t sequence) { return ring_[sequence % kRing]; }
  StatusLine::Group* find_group(std::uint32_t number);
  std::uint32_t enter_operation(Operation operation, std::int64_t bytes, std::uint32_t group);
  void end_operation(std::uint32_t sequence);
  void show(const Entry& entry);
  void show_none(std::int64_t now);

  StatusLine& line_;
  std::mutex mutex_;  // guards all below except phase_ns_, and the line's operations and groups
  std::array<std::int64_t, kPhases> phase_ns_{};
  std::array<Entry, kRing> ring_{};
  std::atomic<std::uint32_t> entered_{0};           // number of operations entered, of all groups
  bool showing_ = false;                            // the line shows an operation in progress
  std::array<int, StatusLine::kGroups> members_{};  // number of Membership objects of each place
};

}  // namespace lockstep

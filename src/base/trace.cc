#include "base/trace.h"

#include <algorithm>

#include <fmt/format.h>

namespace lockstep {
namespace {

constexpr auto kRelaxed = std::memory_order_relaxed;

double seconds(std::int64_t nanoseconds) { return static_cast<double>(nanoseconds) * 1e-9; }

}  // namespace

const char* name(Phase phase) {
  switch (phase) {
    case Phase::start:
      return "start";
    case Phase::data:
      return "data";
    case Phase::compute:
      return "compute";
    case Phase::communicate:
      return "communicate";
    case Phase::read:
      return "read";
    case Phase::write:
      return "write";
    case Phase::evaluate:
      return "evaluate";
    case Phase::finish:
      return "finish";
  }
  return "unknown phase";
}

bool long_phase(Phase phase) { return phase == Phase::read || phase == Phase::write || phase == Phase::evaluate; }

const char* name(Operation operation) {
  switch (operation) {
    case Operation::none:
      return "none";
    case Operation::all_reduce:
      return "all-reduce";
    case Operation::tree_all_reduce:
      return "tree all-reduce";
    case Operation::broadcast:
      return "broadcast";
    case Operation::all_gather:
      return "all-gather";
    case Operation::exchange:
      return "exchange";
    case Operation::barrier:
      return "barrier";
    case Operation::split:
      return "split";
    case Operation::finalize:
      return "MPI_Finalize";
  }
  return "unknown operation";
}

Trace::Trace(StatusLine& line, int rank) : line_(line) {
  const std::int64_t now = monotonic_ns();
  line_.phase_since_ns.store(now, kRelaxed);
  line_.operation_since_ns.store(now, kRelaxed);
  line_.phase.store(Phase::start, kRelaxed);
  line_.rank.store(rank, std::memory_order_release);  // last: from here on the line is in use
}

Phase Trace::switch_to(Phase phase) {
  const std::int64_t now = monotonic_ns();
  const Phase before = line_.phase.load(kRelaxed);
  phase_ns_[static_cast<std::size_t>(before)] += now - line_.phase_since_ns.load(kRelaxed);
  line_.phase_since_ns.store(now, kRelaxed);
  line_.phase.store(phase, kRelaxed);
  return before;
}

double Trace::seconds_in(Phase phase) const {
  std::int64_t total = phase_ns_[static_cast<std::size_t>(phase)];
  if (line_.phase.load(kRelaxed) == phase) total += monotonic_ns() - line_.phase_since_ns.load(kRelaxed);
  return seconds(total);
}

Trace::OperationScope::OperationScope(Trace& trace, Operation operation, std::int64_t bytes)
    : trace_(trace), start_ns_(monotonic_ns()), sequence_(trace.line_.sequence.load(kRelaxed) + 1) {
  Entry& entry = trace_.entry(sequence_);
  entry.operation.store(operation, kRelaxed);
  entry.sequence.store(sequence_, kRelaxed);
  entry.step.store(trace_.line_.step.load(kRelaxed), kRelaxed);
  entry.bytes.store(bytes, kRelaxed);
  entry.seconds.store(kRunning, kRelaxed);

  trace_.line_.bytes.store(bytes, kRelaxed);
  trace_.line_.operation_since_ns.store(start_ns_, kRelaxed);
  trace_.line_.operation.store(operation, kRelaxed);
  trace_.line_.sequence.store(sequence_, std::memory_order_release);
}

Trace::OperationScope::~OperationScope() {
  const std::int64_t now = monotonic_ns();
  trace_.entry(sequence_).seconds.store(seconds(now - start_ns_), kRelaxed);
  trace_.line_.operation.store(Operation::none, kRelaxed);
  trace_.line_.bytes.store(0, kRelaxed);
  trace_.line_.operation_since_ns.store(now, kRelaxed);
}

std::string Trace::last_operations(int count) const {
  std::string text;
  const std::uint32_t newest = line_.sequence.load(std::memory_order_acquire);
  const std::uint32_t kept = std::min<std::uint32_t>(newest, kRing);
  const std::uint32_t wanted = std::min(kept, static_cast<std::uint32_t>(std::max(count, 0)));
  for (std::uint32_t back = 0; back < wanted; ++back) {
    const Entry& entry = ring_[(newest - back) % kRing];
    const double took = entry.seconds.load(kRelaxed);
    text += fmt::format("#{} step {} {} of {} bytes, {}\n", entry.sequence.load(kRelaxed), entry.step.load(kRelaxed),
                        name(entry.operation.load(kRelaxed)), entry.bytes.load(kRelaxed),
                        took < 0 ? std::string("still running") : fmt::format("{:.3f} ms", took * 1e3));
  }
  return text;
}

}  // namespace lockstep

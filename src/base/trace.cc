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
    case Operation::reduce_scatter:
      return "reduce-scatter";
    case Operation::broadcast:
      return "broadcast";
    case Operation::all_gather:
      return "all-gather";
    case Operation::barrier:
      return "barrier";
    case Operation::exchange:
      return "exchange";
    case Operation::split:
      return "split";
    case Operation::allocate:
      return "allocation of shared memory";
    case Operation::finalize:
      return "MPI_Finalize";
  }
  return "unknown operation";
}

std::uint32_t split_group(std::uint32_t parent, std::uint32_t nth, int color) {
  std::uint32_t mixed = 0x9E3779B9U;
  for (const std::uint32_t part :
       {parent, nth, static_cast<std::uint32_t>(color)}) {  // the steps of MurmurHash3's finalizer
    mixed = (mixed ^ part) * 0x85EBCA6BU;
    mixed = (mixed ^ mixed >> 13U) * 0xC2B2AE35U;
    mixed ^= mixed >> 16U;
  }
  return std::max(mixed, kWorldGroup + 1);
}

Trace::Trace(StatusLine& line, int rank) : line_(line) {
  const std::int64_t now = monotonic_ns();
  line_.phase_since_ns.store(now, kRelaxed);
  line_.operation_since_ns.store(now, kRelaxed);
  line_.phase.store(Phase::start, kRelaxed);
  line_.groups.front().entered.store(0, kRelaxed);
  line_.groups.front().number.store(kWorldGroup, kRelaxed);
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

StatusLine::Group* Trace::find_group(std::uint32_t number) {
  const auto found = std::ranges::find_if(
      line_.groups, [number](const StatusLine::Group& group) { return group.number.load(kRelaxed) == number; });
  return found == line_.groups.end() ? nullptr : &*found;
}

Trace::Membership::Membership(Trace& trace, std::uint32_t group) : trace_(trace), group_(group) {
  const std::scoped_lock lock(trace_.mutex_);
  StatusLine::Group* place = trace_.find_group(group);
  if (place == nullptr) {
    place = trace_.find_group(kNoGroup);
    if (place == nullptr) return;
    place->entered.store(0, kRelaxed);
    place->number.store(group, std::memory_order_release);
  }
  ++trace_.members_[static_cast<std::size_t>(place - trace_.line_.groups.data())];
}

Trace::Membership::~Membership() {
  const std::scoped_lock lock(trace_.mutex_);
  StatusLine::Group* place = trace_.find_group(group_);
  if (place == nullptr) return;
  const int left = --trace_.members_[static_cast<std::size_t>(place - trace_.line_.groups.data())];
  if (left == 0 && group_ != kWorldGroup) place->number.store(kNoGroup, kRelaxed);
}

void Trace::show(const Entry& entry) {
  line_.bytes.store(entry.bytes.load(kRelaxed), kRelaxed);
  line_.operation_since_ns.store(entry.start_ns, kRelaxed);
  line_.group.store(entry.group, kRelaxed);
  line_.group_sequence.store(entry.group_sequence, kRelaxed);
  line_.operation.store(entry.operation.load(kRelaxed), kRelaxed);
  showing_ = true;
  line_.sequence.store(entry.sequence.load(kRelaxed), std::memory_order_release);
}

void Trace::show_none(std::int64_t now) {
  line_.operation.store(Operation::none, kRelaxed);
  line_.bytes.store(0, kRelaxed);
  line_.operation_since_ns.store(now, kRelaxed);
  showing_ = false;
}

std::uint32_t Trace::enter_operation(Operation operation, std::int64_t bytes, std::uint32_t group) {
  const std::scoped_lock lock(mutex_);
  const std::uint32_t sequence = entered_.load(kRelaxed) + 1;
  Entry& mine = entry(sequence);
  mine.operation.store(operation, kRelaxed);
  mine.sequence.store(sequence, kRelaxed);
  mine.step.store(line_.step.load(kRelaxed), kRelaxed);
  mine.bytes.store(bytes, kRelaxed);
  mine.seconds.store(kRunning, kRelaxed);
  mine.group = group;
  mine.start_ns = monotonic_ns();
  StatusLine::Group* place = find_group(group);
  mine.group_sequence = place == nullptr ? 0 : place->entered.load(kRelaxed) + 1;
  if (place != nullptr) place->entered.store(mine.group_sequence, std::memory_order_release);
  entered_.store(sequence, std::memory_order_release);
  if (!showing_) show(mine);
  return sequence;
}

void Trace::end_operation(std::uint32_t sequence) {
  const std::scoped_lock lock(mutex_);
  const std::int64_t now = monotonic_ns();
  Entry& mine = entry(sequence);
  if (mine.sequence.load(kRelaxed) == sequence) mine.seconds.store(seconds(now - mine.start_ns), kRelaxed);
  if (!showing_ || line_.sequence.load(kRelaxed) != sequence) return;
  // The next operation in progress, among those that the ring still has.
  const std::uint32_t newest = entered_.load(kRelaxed);
  for (std::uint32_t next = newest - std::min<std::uint32_t>(newest - sequence, kRing) + 1; next != newest + 1;
       ++next) {
    if (entry(next).seconds.load(kRelaxed) >= 0) continue;
    show(entry(next));
    return;
  }
  show_none(now);
}

Trace::OperationScope::OperationScope(Trace& trace, Operation operation, std::int64_t bytes, std::uint32_t group)
    : trace_(&trace), sequence_(trace.enter_operation(operation, bytes, group)) {}

Trace::OperationScope& Trace::OperationScope::operator=(OperationScope&& from) noexcept {
  if (this == &from) return *this;
  end();
  trace_ = std::exchange(from.trace_, nullptr);
  sequence_ = from.sequence_;
  return *this;
}

void Trace::OperationScope::end() noexcept {
  if (trace_ != nullptr) std::exchange(trace_, nullptr)->end_operation(sequence_);
}

std::string Trace::last_operations(int count) const {
  std::string text;
  const std::uint32_t newest = entered_.load(std::memory_order_acquire);
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

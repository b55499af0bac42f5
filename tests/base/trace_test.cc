#include "base/trace.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <set>
#include <string>
#include <thread>

using lockstep::monotonic_ns;
using lockstep::Operation;
using lockstep::Phase;
using lockstep::StatusLine;
using lockstep::Trace;

namespace {

void sleep_ms(int milliseconds) { std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds)); }

}  // namespace

TEST_CASE("trace: phases and operations have names of their own") {
  std::set<std::string> names;
  for (int phase = 0; phase < lockstep::kPhases; ++phase) names.insert(name(static_cast<Phase>(phase)));
  CHECK(names.size() == lockstep::kPhases);
  for (int each = 0; each <= static_cast<int>(Operation::split); ++each) {
    names.insert(name(static_cast<Operation>(each)));
  }
  CHECK(names.size() == lockstep::kPhases + 8);
  CHECK(lockstep::long_phase(Phase::read));
  CHECK(lockstep::long_phase(Phase::write));
  CHECK(lockstep::long_phase(Phase::evaluate));
  CHECK_FALSE(lockstep::long_phase(Phase::compute));
}

TEST_CASE("trace: the status line says who, what and since when") {
  StatusLine line;
  CHECK(line.rank.load() == -1);
  const std::int64_t before = monotonic_ns();
  Trace trace(line, 3);
  CHECK(line.rank.load() == 3);
  CHECK(line.phase.load() == Phase::start);
  CHECK(line.phase_since_ns.load() >= before);
  trace.step(42);
  CHECK(line.step.load() == 42);
  {
    const auto phase = trace.enter(Phase::communicate);
    const auto operation = trace.begin(Operation::all_reduce, 4096);
    CHECK(line.phase.load() == Phase::communicate);
    CHECK(line.operation.load() == Operation::all_reduce);
    CHECK(line.bytes.load() == 4096);
    CHECK(line.sequence.load() == 1);
    CHECK(line.operation_since_ns.load() >= line.phase_since_ns.load());
  }
  CHECK(line.phase.load() == Phase::start);
  CHECK(line.operation.load() == Operation::none);
  CHECK(line.sequence.load() == 1);
}

TEST_CASE("trace: nested phases restore the one before, also after an exception") {
  StatusLine line;
  Trace trace(line, 0);
  try {
    const Trace::PhaseScope outer(trace, Phase::evaluate);
    {
      const auto inner = trace.enter(Phase::data);
      CHECK(line.phase.load() == Phase::data);
    }
    CHECK(line.phase.load() == Phase::evaluate);
    throw 1;
  } catch (int) {
  }
  CHECK(line.phase.load() == Phase::start);
}

TEST_CASE("trace: time is counted for the innermost phase, the current one included") {
  StatusLine line;
  const std::int64_t start = monotonic_ns();
  Trace trace(line, 0);
  {
    const auto compute = trace.enter(Phase::compute);
    sleep_ms(20);
    const auto data = trace.enter(Phase::data);
    sleep_ms(30);
    CHECK(trace.seconds_in(Phase::data) >= 0.030);
  }
  CHECK(trace.seconds_in(Phase::compute) >= 0.020);
  CHECK(trace.seconds_in(Phase::write) == 0);
  // What the phases got is the time that passed, each moment in exactly one of them.
  double sum = 0;
  for (int phase = 0; phase < lockstep::kPhases; ++phase) sum += trace.seconds_in(static_cast<Phase>(phase));
  CHECK(sum <= static_cast<double>(monotonic_ns() - start) * 1e-9);
  CHECK(sum >= 0.050);
}

TEST_CASE("trace: the last operations, newest first, no more than the ring holds") {
  StatusLine line;
  Trace trace(line, 0);
  CHECK(trace.last_operations(5).empty());
  trace.step(7);
  { const auto done = trace.begin(Operation::broadcast, 100); }
  const auto running = trace.begin(Operation::barrier, 0);
  const std::string text = trace.last_operations(5);
  CHECK(text.starts_with("#2 step 7 barrier of 0 bytes, still running\n#1 step 7 broadcast of 100 bytes, "));
  CHECK(text.ends_with(" ms\n"));
  CHECK(trace.last_operations(1) == "#2 step 7 barrier of 0 bytes, still running\n");
  CHECK(trace.last_operations(-1).empty());

  for (int i = 0; i < 3 * Trace::kRing; ++i) const auto each = trace.begin(Operation::all_reduce, i);
  const std::string full = trace.last_operations(1000);
  CHECK(std::count(full.begin(), full.end(), '\n') == Trace::kRing);
  CHECK(full.starts_with("#98 step 7 all-reduce of 95 bytes, "));
}

TEST_CASE("trace: a watchdog may read while the rank works") {
  StatusLine line;
  Trace trace(line, 0);
  std::atomic<bool> done{false};
  std::atomic<std::size_t> read{0};
  std::thread watchdog([&] {
    while (!done) read += trace.last_operations(Trace::kRing).size();
  });
  // Until it has read something while there was something to read: on a busy machine it may come late.
  for (int i = 0; i < 2000 || read == 0; ++i) const auto each = trace.begin(Operation::all_reduce, i);
  done = true;
  watchdog.join();
  CHECK(read > 0);
}

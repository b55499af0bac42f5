#include "base/trace.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

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
  for (int each = 0; each <= static_cast<int>(Operation::allocate); ++each) {
    names.insert(name(static_cast<Operation>(each)));
  }
  CHECK(names.size() == lockstep::kPhases + 10);
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
  // The phases' times add up to the time that passed: each moment belongs to exactly one phase.
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
  const auto running = trace.begin(Operation::exchange, 0);
  const std::string text = trace.last_operations(5);
  CHECK(text.starts_with("#2 step 7 exchange of 0 bytes, still running\n#1 step 7 broadcast of 100 bytes, "));
  CHECK(text.ends_with(" ms\n"));
  CHECK(trace.last_operations(1) == "#2 step 7 exchange of 0 bytes, still running\n");
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
  // Continue until it has read something: on a busy machine the thread may start late.
  for (int i = 0; i < 2000 || read == 0; ++i) const auto each = trace.begin(Operation::all_reduce, i);
  done = true;
  watchdog.join();
  CHECK(read > 0);
}

TEST_CASE("trace: collectives are counted group by group") {
  StatusLine line;
  Trace trace(line, 0);
  CHECK(line.groups[0].number == lockstep::kWorldGroup);
  { const auto in_world = trace.begin(Operation::broadcast, 8); }
  {
    const Trace::Membership pair(trace, 77);
    const Trace::Membership again(trace, 77);  // two communicators of the same group
    CHECK(line.groups[1].number == 77);
    for (int i = 0; i < 3; ++i) const auto in_pair = trace.begin(Operation::all_reduce, 8, pair.group());
    const auto in_pair = trace.begin(Operation::all_reduce, 8, pair.group());
    CHECK(line.group == 77);
    CHECK(line.group_sequence == 4);
    CHECK(line.groups[1].entered == 4);
    CHECK(line.groups[0].entered == 1);
    CHECK(line.sequence == 5);
  }
  CHECK(line.groups[1].number == lockstep::kNoGroup);
  const Trace::Membership other(trace, 78);
  CHECK(line.groups[1].number == 78);
  CHECK(line.groups[1].entered == 0);
}

TEST_CASE("trace: more groups than there are places for are not counted") {
  StatusLine line;
  Trace trace(line, 0);
  std::vector<std::unique_ptr<Trace::Membership>> groups;
  for (std::uint32_t number = 100; number < 110; ++number) {
    groups.push_back(std::make_unique<Trace::Membership>(trace, number));
  }
  const auto uncounted = trace.begin(Operation::exchange, 0, 109);
  CHECK(line.group == 109);
  CHECK(line.operation == Operation::exchange);
  CHECK(std::ranges::none_of(line.groups, [](const auto& group) { return group.number == 109; }));
}

TEST_CASE("trace: ranks of a split agree on its group's number, and no two groups share one") {
  using lockstep::split_group;
  std::set<std::uint32_t> numbers{lockstep::kNoGroup, lockstep::kWorldGroup};
  std::size_t made = numbers.size();
  for (std::uint32_t nth = 1; nth <= 5; ++nth) {
    for (int color = 0; color < 40; ++color) {
      const std::uint32_t group = split_group(lockstep::kWorldGroup, nth, color);
      CHECK(group == split_group(lockstep::kWorldGroup, nth, color));
      numbers.insert(group);
      numbers.insert(split_group(group, 1, 0));
      made += 2;
    }
  }
  CHECK(numbers.size() == made);
}

TEST_CASE("trace: of operations that are left open the line shows the oldest") {
  StatusLine line;
  Trace trace(line, 0);
  auto first = std::make_optional(trace.begin(Operation::all_reduce, 1));
  auto second = std::make_optional(trace.begin(Operation::all_reduce, 2));
  Trace::OperationScope third = trace.begin(Operation::broadcast, 3);
  CHECK(line.sequence == 1);
  CHECK(line.bytes == 1);
  CHECK(line.groups[0].entered == 3);  // the others need not wait for this rank
  second.reset();
  CHECK(line.sequence == 1);
  first.reset();
  CHECK(line.sequence == 3);
  CHECK(line.operation == Operation::broadcast);
  Trace::OperationScope moved = std::move(third);
  CHECK(line.operation == Operation::broadcast);
  moved = trace.begin(Operation::exchange, 0);  // ends the broadcast
  CHECK(line.operation == Operation::exchange);
  CHECK(line.sequence == 4);
}

TEST_CASE("trace: more open operations than the ring holds are no trouble") {
  StatusLine line;
  Trace trace(line, 0);
  std::vector<Trace::OperationScope> open;
  for (int i = 1; i <= 2 * Trace::kRing; ++i) open.push_back(trace.begin(Operation::all_reduce, i));
  CHECK(line.sequence == 1);
  open.erase(open.begin());
  CHECK(line.sequence == Trace::kRing + 1);  // the oldest one still in the ring
  open.clear();
  CHECK(line.operation == Operation::none);
}

TEST_CASE("trace: operations of several threads are all counted, and none stays") {
  StatusLine line;
  Trace trace(line, 0);
  constexpr int kThreads = 3;
  constexpr int kOperations = 2000;
  std::vector<std::thread> threads;
  threads.reserve(kThreads);
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&trace] {
      for (int operation = 0; operation < kOperations; ++operation) {
        const auto scope = trace.begin(Operation::all_reduce, 4);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(line.groups.front().entered == kThreads * kOperations);
  CHECK(line.operation == Operation::none);
  CHECK(line.bytes == 0);
}

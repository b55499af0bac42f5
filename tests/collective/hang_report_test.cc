#include "collective/hang_report.h"

#include <doctest/doctest.h>

#include <string>

namespace lockstep {
namespace {

RankStatus waiting(int rank) {
  return {.rank = rank,
          .step = 57,
          .phase = Phase::communicate,
          .phase_s = 61.2,
          .operation = Operation::all_reduce,
          .operation_s = 60.4,
          .bytes = 4'000'000,
          .sequence = 240};
}

RankStatus reading(int rank) {
  return {.rank = rank,
          .step = 56,
          .phase = Phase::data,
          .phase_s = 62.5,
          .operation = Operation::none,
          .operation_s = 62.6,
          .bytes = 0,
          .sequence = 239};
}

HangFacts facts(const std::vector<RankStatus>& ranks, int world_size) {
  return {.host = "node07",
          .world_size = world_size,
          .hang_timeout_s = 60,
          .waiter = ranks.front(),
          .ranks = ranks,
          .last_operations = "#240 first\n#239 second\n"};
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("the verdict names operation, bytes, step, and the one who did not arrive") {
  const std::string text = hang_report(facts({waiting(0), reading(1), waiting(2)}, 3));
  CAPTURE(text);
  CHECK(contains(text, "HANG: rank 0/3 on node07 has waited 60 s in all-reduce of 4000.0 kB"));
  CHECK(contains(text, "step 57"));
  CHECK(contains(text, "Rank 1 on node07 did not arrive: it is at step 56, for 62 s in phase data."));
  CHECK(contains(text, "DID NOT ARRIVE"));
  CHECK(contains(text, "  #240 first\n  #239 second\n"));
  CHECK(contains(text, "--hang_timeout"));
  CHECK(contains(text, "kill -CONT"));
  CHECK(text.back() == '\n');
}

TEST_CASE("a rank that gives no sign of life is named even if it has arrived") {
  RankStatus stopped = waiting(1);
  stopped.silent_s = 61;
  const std::string text = hang_report(facts({waiting(0), stopped, reading(2)}, 3));
  CHECK(
      contains(text, "Rank 1 on node07 is stopped: no sign of life for 61 s; it is at step 57, in phase communicate."));
  CHECK(contains(text, "STOPPED"));
  CHECK(contains(text, "DID NOT ARRIVE"));
}

TEST_CASE("a host whose rank stands still says so") {
  HangFacts late = facts({reading(1)}, 3);
  late.waiter = reading(1);
  const std::string text = late_report(late);
  CAPTURE(text);
  CHECK(
      contains(text, "LATE: rank 1/3 on node07 is in no collective and at the same step, 56, for 62 s in phase data"));
  CHECK(!contains(text, "ARRIVE"));
}

TEST_CASE("several missing ranks are all named") {
  const std::string text = hang_report(facts({waiting(0), reading(1), reading(4), reading(5)}, 8));
  CHECK(contains(text, "Ranks 1, 4 and 5 on node07 did not arrive."));
}

TEST_CASE("when all of this host have arrived, the other hosts know more") {
  CHECK(contains(hang_report(facts({waiting(0), waiting(1)}, 4)), "the reports of the other hosts tell who did not"));
  CHECK(contains(hang_report(facts({waiting(0), waiting(1)}, 2)), "All ranks have arrived"));
}

TEST_CASE("who has entered as many collectives has arrived, also when the count wraps around") {
  RankStatus other = waiting(1);
  CHECK(arrived(other, waiting(0)));
  other.sequence = 239;
  CHECK_FALSE(arrived(other, waiting(0)));
  other.sequence = 241;  // done with it, and further
  CHECK(arrived(other, waiting(0)));
  RankStatus waiter = waiting(0);
  waiter.sequence = 0;
  other.sequence = 0xFFFFFFFF;
  CHECK_FALSE(arrived(other, waiter));
}

TEST_CASE("lines that no rank uses are left out") {
  StatusLine lines[3];
  Trace trace(lines[1], 6);
  trace.step(9);
  const auto phase = trace.enter(Phase::write);
  const auto scope = trace.begin(Operation::barrier, 0);
  const auto ranks = read_status(lines, monotonic_ns() + 5'000'000'000);
  REQUIRE(ranks.size() == 1);
  CHECK(ranks[0].rank == 6);
  CHECK(ranks[0].step == 9);
  CHECK(ranks[0].phase == Phase::write);
  CHECK(ranks[0].operation == Operation::barrier);
  CHECK(ranks[0].sequence == 1);
  CHECK(ranks[0].waiting());
  CHECK(ranks[0].operation_s >= 5);
}

}  // namespace lockstep

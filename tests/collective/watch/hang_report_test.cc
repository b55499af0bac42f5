#include "collective/watch/hang_report.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <string>

#include "support/ranks.h"

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
          .sequence = 240,
          .group = kWorldGroup,
          .group_sequence = 240,
          .groups = {{{kWorldGroup, 240}}}};
}

RankStatus reading(int rank) {
  return {.rank = rank,
          .step = 56,
          .phase = Phase::data,
          .phase_s = 62.5,
          .operation = Operation::none,
          .operation_s = 62.6,
          .bytes = 0,
          .sequence = 239,
          .group = kWorldGroup,
          .group_sequence = 239,
          .groups = {{{kWorldGroup, 239}}}};
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
  CHECK(contains(text,
                 "give a larger --hang_timeout than 60 s (in a program of your own, Job::Options has hang_timeout_s)"));
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
  CHECK(contains(hang_report(facts({waiting(0), waiting(1)}, 4)), "the reports of the other hosts show who did not"));
  CHECK(contains(hang_report(facts({waiting(0), waiting(1)}, 2)), "All ranks have arrived"));
}

TEST_CASE("who has entered as many collectives of the group has arrived, also when the count wraps around") {
  RankStatus other = waiting(1);
  CHECK(arrived(other, waiting(0)));
  other.groups[0].entered = 239;
  CHECK_FALSE(arrived(other, waiting(0)));
  CHECK(missing(other, waiting(0)));
  other.groups[0].entered = 241;  // has left it, and is further
  CHECK(arrived(other, waiting(0)));
  RankStatus waiter = waiting(0);
  waiter.group_sequence = 0;
  other.groups[0].entered = 0xFFFFFFFF;
  CHECK_FALSE(arrived(other, waiter));
}

TEST_CASE("a rank of another group is not missing, however few collectives it has entered") {
  constexpr std::uint32_t kLeft = 77;
  constexpr std::uint32_t kRight = 78;
  RankStatus waiter = waiting(0);
  waiter.group = kLeft;
  waiter.group_sequence = 12;
  waiter.groups[1] = {kLeft, 12};
  RankStatus peer = reading(1);
  peer.groups[1] = {kLeft, 11};
  RankStatus stranger = reading(2);
  stranger.groups[1] = {kRight, 3};
  CHECK(missing(peer, waiter));
  CHECK_FALSE(missing(stranger, waiter));
  CHECK_FALSE(arrived(stranger, waiter));
  const std::string text = hang_report(facts({waiter, peer, stranger}, 3));
  CAPTURE(text);
  CHECK(contains(text, "in all-reduce of 4000.0 kB in the group of ranks 0 and 1, collective"));
  CHECK(contains(text, "Rank 1 on node07 did not arrive: it is at step 56, for 62 s in phase data."));
}

TEST_CASE("who waits in another group for somebody else is not to blame") {
  constexpr std::uint32_t kPair = 77;
  RankStatus between = waiting(1);  // not yet in the world's collective 240: it waits for rank 2 in their pair
  between.group = kPair;
  between.group_sequence = 5;
  between.groups = {{{kWorldGroup, 239}, {kPair, 5}}};
  RankStatus late = reading(2);
  late.groups = {{{kWorldGroup, 239}, {kPair, 4}}};
  const std::string text = hang_report(facts({waiting(0), between, late}, 3));
  CAPTURE(text);
  CHECK(contains(text, "Rank 2 on node07 did not arrive"));
  CHECK_FALSE(contains(text, "in the group of"));  // the waiter's own collective is the world's

  // If all that this host sees have come to the pair, its other members are on other hosts.
  late = between;
  late.rank = 2;
  CHECK(contains(hang_report(facts({waiting(0), between, late}, 4)), "Ranks 1 and 2 on node07 did not arrive."));
}

TEST_CASE("ranks that wait for each other in different groups are in different collectives") {
  constexpr std::uint32_t kGradients = 77;  // a group of the same two ranks
  RankStatus counting = waiting(0);
  counting.bytes = 16;
  counting.groups = {{{kWorldGroup, 240}, {kGradients, 20}}};
  RankStatus training = waiting(1);
  training.bytes = 203'600;
  training.group = kGradients;
  training.group_sequence = 21;
  training.groups = {{{kWorldGroup, 239}, {kGradients, 21}}};
  for (const std::vector<RankStatus>& ranks : {std::vector{counting, training}, std::vector{training, counting}}) {
    const std::string text = hang_report(facts(ranks, 2));
    CAPTURE(text);
    CHECK(contains(text,
                   "Ranks wait in different collectives: rank 0 all-reduce of 16 bytes, rank 1 all-reduce of 203.6 kB: "
                   "a rank left out or added a call.\n"));
    CHECK(contains(text, "IN ANOTHER ONE"));
    CHECK(contains(text, "What to do: all ranks of a group have to make the same collective calls"));
    CHECK_FALSE(contains(text, "ARRIVE"));
    CHECK_FALSE(contains(text, "kill -CONT"));
  }

  // A rank that waits for two such ranks gets the same message; a rank that may only be slow is named first.
  RankStatus third = counting;
  third.rank = 2;
  CHECK(contains(hang_report(facts({third, counting, training}, 3)), "ranks 0 and 2 all-reduce of 16 bytes, rank 1"));
  RankStatus slow = reading(3);
  slow.groups = {{{kWorldGroup, 239}, {kGradients, 20}}};
  CHECK(contains(hang_report(facts({counting, training, slow}, 4)), "Rank 3 on node07 did not arrive"));
}

TEST_CASE("ranks that wait in different collectives are told so, by name") {
  RankStatus reducing = waiting(0);
  reducing.bytes = 36;
  RankStatus done = waiting(1);
  done.operation = Operation::finalize;
  done.bytes = 0;
  CHECK(elsewhere(done, reducing));
  CHECK(elsewhere(reducing, done));
  CHECK_FALSE(elsewhere(reducing, reducing));
  for (const std::vector<RankStatus>& ranks : {std::vector{reducing, done}, std::vector{done, reducing}}) {
    const std::string text = hang_report(facts(ranks, 2));
    CAPTURE(text);
    CHECK(contains(text,
                   "Ranks wait in different collectives: rank 0 all-reduce of 36 bytes, rank 1 MPI_Finalize: a rank "
                   "left out or added a call.\n"));
    CHECK(contains(text, "IN ANOTHER ONE"));
    CHECK(contains(text, "What to do: all ranks of a group have to make the same collective calls"));
    CHECK_FALSE(contains(text, "All ranks have arrived"));
    CHECK_FALSE(contains(text, "missing"));
  }

  // A broadcast's root need not have waited: it is one collective ahead of the rank that will not come.
  RankStatus ahead = reducing;
  ahead.group_sequence = 241;
  ahead.groups[0].entered = 241;
  CHECK(elsewhere(done, ahead));
  RankStatus also_ahead = ahead;
  also_ahead.rank = 2;
  CHECK(contains(hang_report(facts({ahead, done, also_ahead}, 3)),
                 "ranks 0 and 2 all-reduce of 36 bytes, rank 1 MPI_Finalize"));

  // The same call with another size cannot succeed either.
  RankStatus larger = waiting(1);
  larger.bytes = 40;
  CHECK(contains(hang_report(facts({reducing, larger}, 2)),
                 "rank 0 all-reduce of 36 bytes, rank 1 all-reduce of 40 bytes"));

  // A rank still in the collective before may only be slow; a stopped rank is named first.
  larger.group_sequence = 239;
  larger.groups[0].entered = 239;
  CHECK_FALSE(elsewhere(larger, reducing));
  done.silent_s = 9;
  CHECK(contains(hang_report(facts({reducing, done}, 2)), "Rank 1 on node07 is stopped"));

  // A rank of another group is rightly in another collective.
  RankStatus stranger = waiting(1);
  stranger.operation = Operation::all_gather;
  stranger.group = 77;
  CHECK_FALSE(elsewhere(stranger, reducing));
}

TEST_CASE("lines that no rank uses are left out") {
  StatusLine lines[3];
  Trace trace(lines[1], 6);
  trace.step(9);
  const auto phase = trace.enter(Phase::write);
  const auto scope = trace.begin(Operation::exchange, 0);
  const auto ranks = read_status(lines, monotonic_ns() + 5'000'000'000);
  REQUIRE(ranks.size() == 1);
  CHECK(ranks[0].rank == 6);
  CHECK(ranks[0].step == 9);
  CHECK(ranks[0].phase == Phase::write);
  CHECK(ranks[0].operation == Operation::exchange);
  CHECK(ranks[0].sequence == 1);
  CHECK(ranks[0].waiting());
  CHECK(ranks[0].operation_s >= 5);
}

// The last rank, which comes late, reads the status page until all others wait.
TEST_CASE("a hang inside a split group blames the rank that is missing there") {
  for_rank_contexts([](RankContext& context) {
    Communicator& world = context.communicator;
    const int late = world.size() - 1;
    if (world.size() < 3 || static_cast<int>(context.page.lines().size()) != world.size()) return;
    const auto part = world.split(world.rank() >= late - 1 ? 1 : 0, world.rank());
    for (int i = 0; world.rank() < late - 1 && i < 5; ++i) all_gather_value(*part, i);  // counted in the group only
    if (world.rank() == late) {
      // Fields of a line may be from slightly different moments. Once a second reading finds all ranks waiting, all
      // that they have written is visible, and the third reading is consistent.
      std::vector<RankStatus> ranks;
      for (int waiting = 0; waiting < 3;) {
        ranks = read_status(context.page.lines(), monotonic_ns());
        const auto waits = [](const RankStatus& status) {
          return status.operation == Operation::all_gather && status.bytes >= 64;
        };
        waiting = std::ranges::count_if(ranks, waits) < late ? 0 : waiting + 1;
      }
      const std::string blame = "Rank " + std::to_string(late) + " on node07 did not arrive";
      for (const RankStatus& waiter : ranks) {
        if (waiter.rank == late) continue;
        HangFacts verdict = facts(ranks, world.size());
        verdict.waiter = waiter;
        const std::string text = hang_report(verdict);
        CAPTURE(text);
        CHECK(contains(text, blame));
        CHECK(contains(text, "in the group of ranks") == (waiter.rank == late - 1));
      }
    }
    using Marked = std::array<char, 64>;  // its size distinguishes this operation from earlier ones
    if (world.rank() >= late - 1) all_gather_value(*part, Marked{});
    all_gather_value(world, Marked{});
    part->close();
  });
}

}  // namespace lockstep

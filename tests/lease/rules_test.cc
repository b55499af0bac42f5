#include "lease/rules.h"

#include <doctest/doctest.h>

namespace lockstep {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using Decision = LeaseRules::Decision;

LeaseRecord me() {
  return {.token = "mine", .job_id = "slurm 1", .host = "node1", .boot_id = "b", .pid_namespace = "pid:[1]", .pid = 10};
}

LeaseRecord stranger() {
  return {.token = "hers", .job_id = "slurm 2", .host = "node2", .boot_id = "c", .pid_namespace = "pid:[1]", .pid = 10};
}

LeaseRecord old_copy() {
  LeaseRecord record = stranger();
  record.job_id = me().job_id;
  return record;
}

struct End {
  Decision decision;
  milliseconds when;
};

// Returns the final decision, and its time, about a holder that beats every kHeartbeat until `last_beat`.
End watch(LeaseRecord holder, seconds last_beat, milliseconds start = milliseconds{123}) {
  LeaseRules rules(me());
  for (milliseconds time{0}; time < std::chrono::hours(1); time += milliseconds{500}) {
    if (time.count() > 0 && time <= last_beat && time % kHeartbeat == milliseconds{0}) ++holder.heartbeat;
    const Decision decision = rules.look(holder, false, start + time);
    if (decision != Decision::wait) return {decision, time};
  }
  return {Decision::wait, {}};
}

TEST_CASE("a stranger that beats twice is alive; one that is silent for three heartbeats is not") {
  const End silent = watch(stranger(), seconds{0});
  CHECK((silent.decision == Decision::take_over));
  CHECK(silent.when == seconds{15});
  const End last_beat = watch(stranger(), seconds{5});
  CHECK((last_beat.decision == Decision::take_over));
  CHECK(last_beat.when == seconds{20});
  const End alive = watch(stranger(), seconds{3600});
  CHECK((alive.decision == Decision::give_up));
  CHECK(alive.when == seconds{10});
}

TEST_CASE("a restarted job waits for its old copy, but not for ever") {
  CHECK((watch(old_copy(), seconds{0}).decision == Decision::take_over));
  CHECK(watch(old_copy(), seconds{0}).when == seconds{15});
  const End ended = watch(old_copy(), seconds{300});
  CHECK((ended.decision == Decision::take_over));
  CHECK(ended.when == seconds{315});
  const End alive = watch(old_copy(), seconds{3600});
  CHECK((alive.decision == Decision::give_up));
  CHECK(alive.when == seconds{600});
}

TEST_CASE("jobs without a scheduler are not the same job") {
  LeaseRecord mine = me();
  mine.job_id = "";
  LeaseRecord other = stranger();
  other.job_id = "";
  LeaseRules rules(mine);
  CHECK(!rules.same_job(other));
  CHECK(LeaseRules(me()).same_job(old_copy()));
  CHECK(!LeaseRules(me()).same_job(stranger()));
}

TEST_CASE("a process that is gone is replaced at once, if it ran where we can see that") {
  LeaseRecord neighbour = me();
  neighbour.token = "hers";
  neighbour.job_id = "slurm 2";
  CHECK((LeaseRules(me()).look(neighbour, true, {}) == Decision::take_over));
  CHECK((LeaseRules(me()).look(neighbour, false, {}) == Decision::wait));
  for (std::string LeaseRecord::*place : {&LeaseRecord::host, &LeaseRecord::boot_id, &LeaseRecord::pid_namespace}) {
    LeaseRecord elsewhere = neighbour;
    elsewhere.*place = "another";
    CHECK(!LeaseRules(me()).same_place(elsewhere));
    CHECK((LeaseRules(me()).look(elsewhere, true, {}) == Decision::wait));
  }
  LeaseRecord nowhere = me();  // a process that does not know its place
  nowhere.boot_id = "";
  CHECK(!LeaseRules(nowhere).same_place(nowhere));
}

TEST_CASE("a new holder is watched anew, within the longest wait") {
  LeaseRules rules(me());
  LeaseRecord holder = stranger();
  CHECK((rules.look(holder, false, seconds{0}) == Decision::wait));
  holder.heartbeat = 1;
  CHECK((rules.look(holder, false, seconds{4}) == Decision::wait));
  holder.token = "another";
  holder.heartbeat = 2;
  CHECK((rules.look(holder, false, seconds{8}) == Decision::wait));
  CHECK(rules.silence() == seconds{0});
  holder.heartbeat = 3;
  CHECK((rules.look(holder, false, seconds{12}) == Decision::wait));
  holder.heartbeat = 4;
  CHECK((rules.look(holder, false, seconds{16}) == Decision::give_up));

  LeaseRules crowd(me());  // a new holder every second
  Decision decision = Decision::wait;
  seconds time{0};
  for (; decision == Decision::wait && time < seconds{3600}; time += seconds{1}) {
    holder.token = std::to_string(time.count());
    decision = crowd.look(holder, false, time);
  }
  CHECK((decision == Decision::give_up));
  CHECK(time == kLongestWait + seconds{1});
}

TEST_CASE("who was stopped together with the holder leaves it the time to beat again") {
  LeaseRules rules(me());
  LeaseRecord holder = stranger();
  CHECK((rules.look(holder, false, seconds{0}) == Decision::wait));
  CHECK((rules.look(holder, false, seconds{300}) == Decision::wait));  // we were stopped for five minutes
  CHECK(rules.silence() == seconds{5});
  holder.heartbeat = 1;
  CHECK((rules.look(holder, false, seconds{301}) == Decision::wait));
  CHECK(rules.silence() == seconds{0});
}

}  // namespace
}  // namespace lockstep

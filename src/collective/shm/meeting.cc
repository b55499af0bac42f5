#include "collective/shm/meeting.h"

#include <fmt/format.h>
#include <sched.h>

#include <chrono>
#include <utility>

#include "base/error.h"
#include "collective/peer_ended.h"
#include "collective/shm/futex.h"

namespace lockstep {
namespace {

constexpr int kPauses = 2000;       // a peer that runs comes within microseconds; beyond that it is late
constexpr int kPausesCrowded = 20;  // the peer may well wait for this rank's core
constexpr int kYields = 20;
constexpr std::chrono::milliseconds kBetweenChecks{100};  // of poison and of the peers' lives
constexpr std::chrono::milliseconds kBetweenDrives{1};    // a message that lies here may be what the peer waits for

void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

}  // namespace

Meeting::Meeting(Group group) : group_(std::move(group)) {}

std::vector<std::shared_ptr<Poison>> Meeting::poisons() const {
  std::vector<std::shared_ptr<Poison>> all = group_.inherited;
  all.emplace_back(group_.blocks.front(), &group_.blocks.front()->poison);
  return all;
}

void Meeting::meet(const Call& call) {
  operation_ = call.what.operation;
  block(rank()).slots[(meetings_ + 1) % 2].call = call;
  meet();
  check_calls();
}

// Stores the arrival and then reads the sleepers, both in the order that all ranks agree on; sleep() does it the other
// way round: so either a sleeper sees the arrival or this rank sees the sleeper. Only the last to come rings.
void Meeting::meet() {
  check_poison();
  ++meetings_;
  block(rank()).slots[meetings_ % 2].meeting.store(meetings_, std::memory_order_seq_cst);
  if (doorbell().sleepers.load(std::memory_order_seq_cst) > 0 && missing() == size()) ring();
  wait();
}

int Meeting::missing(int first) const {
  int peer = first;
  while (peer < size() && block(peer).slots[meetings_ % 2].meeting.load(std::memory_order_seq_cst) >= meetings_) ++peer;
  return peer;
}

void Meeting::wait() {
  int peer = missing();
  const int pauses = group_.crowded ? kPausesCrowded : kPauses;
  for (int i = 0; i < pauses && peer < size(); ++i) {
    pause();
    peer = missing(peer);
  }
  for (int i = 0; i < kYields && peer < size(); ++i) {
    if (group_.drive) group_.drive();
    sched_yield();
    peer = missing(peer);
  }
  while (peer < size()) {
    check_poison();
    wait_long();
    peer = missing(peer);
    if (peer < size()) check_alive();
  }
}

// Waits until all have come, for kBetweenChecks at most.
void Meeting::wait_long() {
  if (!group_.drive) return sleep(kBetweenChecks);
  const auto end = std::chrono::steady_clock::now() + kBetweenChecks;
  while (missing() < size() && std::chrono::steady_clock::now() < end) {
    group_.drive();
    sleep(kBetweenDrives);
  }
}

void Meeting::sleep(std::chrono::milliseconds at_most) {
  doorbell().sleepers.fetch_add(1, std::memory_order_seq_cst);
  const std::uint32_t rings = doorbell().rings.load(std::memory_order_seq_cst);
  if (missing() < size()) sleep_while(doorbell().rings, rings, at_most);
  doorbell().sleepers.fetch_sub(1, std::memory_order_relaxed);
}

void Meeting::ring() noexcept {
  doorbell().rings.fetch_add(1, std::memory_order_seq_cst);
  wake_all(doorbell().rings);
}

void Meeting::poison(const std::string& message) noexcept {
  group_.blocks.front()->poison.set(message);
  ring();
}

void Meeting::fail_all(const std::string& message) {
  poison(message);
  throw Error(ExitCode::internal, message);
}

void Meeting::check_poison() const {
  const auto check = [](const Poison& poison) {
    if (poison.is_set()) throw Error(ExitCode::internal, poison.message(), Scope::another_rank);
  };
  check(group_.blocks.front()->poison);
  for (const auto& poison : group_.inherited) check(*poison);
}

void Meeting::check_alive() {
  for (int peer = missing(); peer < size(); peer = missing(peer + 1)) {
    const PeerProcess& process = *group_.processes[static_cast<std::size_t>(peer)];
    if (!process.has_ended()) continue;
    if (missing(peer) != peer) continue;  // it came, and then ended
    check_poison();                       // a peer that gave up before it ended has said why
    const std::string message = fmt::format("rank {} ({}) has ended while the others wait for it in {}", job_rank(peer),
                                            process.text(), name(operation_));
    poison(message);
    throw PeerEnded(message);
  }
}

void Meeting::check_calls() {
  int peer = 1;
  while (peer < size() && call(peer).what == call(0).what) ++peer;
  if (peer >= size()) return;
  std::vector<CollectiveCall> calls;
  calls.reserve(group_.blocks.size());
  for (peer = 0; peer < size(); ++peer) calls.push_back(call(peer).what);
  fail_all(mismatch(calls, group_.job_ranks));
}

}  // namespace lockstep

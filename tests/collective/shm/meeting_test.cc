// Meetings of processes without MPI: forked, with their blocks in inherited memory.
#include "collective/shm/meeting.h"

#include <doctest/doctest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <functional>
#include <new>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/error.h"

namespace lockstep {
namespace {

constexpr int kRanks = 3;

// Memory shared by the processes of a test. Zeroed.
struct Common {
  RankBlock blocks[kRanks];
  std::atomic<pid_t> processes[kRanks];
};

ProcessPlace place_of(const Common& common, int rank) {
  ProcessPlace place = this_process();
  place.process = common.processes[rank].load();
  return place;
}

Meeting::Group group_of(Common& common, int rank) {
  Meeting::Group group;
  group.rank = rank;
  for (int peer = 0; peer < kRanks; ++peer) {
    while (common.processes[peer].load() == 0) usleep(1000);
    group.blocks.emplace_back(std::shared_ptr<void>(), &common.blocks[peer]);
    group.processes.push_back(std::make_shared<PeerProcess>(place_of(common, peer)));
    group.job_ranks.push_back(peer);
  }
  return group;
}

// Runs body in three processes, of which `killed` has to die by SIGKILL and stays a zombie until the others have ended.
// Their exit code is 0 if body returns true.
void in_processes(int killed, const std::function<bool(Meeting&, Common&)>& body) {
  void* const memory = mmap(nullptr, sizeof(Common), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  REQUIRE(memory != MAP_FAILED);
  auto& common = *static_cast<Common*>(memory);
  std::vector<pid_t> children;
  for (int rank = 0; rank < kRanks; ++rank) {
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
      alarm(30);
      common.processes[rank].store(getpid());
      Meeting meeting(group_of(common, rank));
      bool good = false;
      try {
        good = body(meeting, common);
      } catch (const std::exception& error) {
        std::fprintf(stderr, "rank %d: %s\n", rank, error.what());
      }
      _exit(good ? 0 : 1);
    }
    children.push_back(child);
  }
  const auto status_of = [&](int rank) {
    int status = 0;
    CHECK(waitpid(children[static_cast<std::size_t>(rank)], &status, 0) > 0);
    return status;
  };
  for (int rank = 0; rank < kRanks; ++rank) {
    CAPTURE(rank);
    if (rank != killed) CHECK(status_of(rank) == 0);
  }
  if (killed >= 0) CHECK(WTERMSIG(status_of(killed)) == SIGKILL);
  munmap(memory, sizeof(Common));
}

}  // namespace

TEST_CASE("everyone reads what the others have put into their areas, also after long sleeps") {
  in_processes(-1, [](Meeting& meeting, Common&) {
    bool good = true;
    for (int round = 0; round < 2000; ++round) {
      if (round % 1000 == meeting.rank()) usleep(150'000);  // the others sleep, some beyond their time-out
      *reinterpret_cast<int*>(meeting.next_area()) = round * kRanks + meeting.rank();
      meeting.meet({.what = {.operation = Operation::all_gather, .count = round}});
      for (int peer = 0; peer < kRanks; ++peer) {
        good = good && *reinterpret_cast<const int*>(meeting.area(peer)) == round * kRanks + peer;
      }
    }
    return good;
  });
}

// Processes check ten times a second; the bound of seconds allows for a busy machine.
TEST_CASE("a process that was killed is named by all others within seconds") {
  in_processes(1, [](Meeting& meeting, Common& common) {
    meeting.meet({.what = {.operation = Operation::all_reduce}});
    if (meeting.rank() == 1) raise(SIGKILL);
    const Stopwatch watch;
    const std::string who = "rank 1 (process " + std::to_string(common.processes[1].load());
    try {
      meeting.meet();
    } catch (const Error& error) {
      const std::string text = error.what();
      return text.find(who) != std::string::npos && text.find("all-reduce") != std::string::npos &&
             watch.seconds() < 10;
    }
    return false;
  });
}

TEST_CASE("a process that has ended, and was waited for, before anyone watches it has ended") {
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) _exit(0);
  REQUIRE(waitpid(child, nullptr, 0) == child);
  ProcessPlace place = this_process();
  CHECK(!PeerProcess(place).has_ended());
  place.process = child;
  CHECK(PeerProcess(place).has_ended());
}

TEST_CASE("a process that ended after it had come is not missed") {
  in_processes(1, [](Meeting& meeting, Common& common) {
    if (meeting.rank() == 0) {
      while (common.blocks[1].slots[1].meeting.load() == 0) usleep(1000);
      kill(common.processes[1].load(), SIGKILL);
      usleep(250'000);
    }
    meeting.meet({.what = {.operation = Operation::barrier}});  // 0 comes last, after the death of 1
    return true;
  });
}

}  // namespace lockstep

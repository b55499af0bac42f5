#include "collective/watch/ranks_watch.h"

#include <doctest/doctest.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "base/clock.h"

namespace lockstep {
namespace {

// A process that waits for its end, as another rank.
class RankProcess {
 public:
  RankProcess() : process_(::fork()) {
    if (process_ == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // however the test ends
      while (true) ::pause();
    }
    REQUIRE(process_ > 0);
  }
  ~RankProcess() {
    ::kill(process_, SIGKILL);
    ::waitpid(process_, nullptr, 0);
  }
  RankProcess(const RankProcess&) = delete;
  RankProcess& operator=(const RankProcess&) = delete;

  void kill() const { ::kill(process_, SIGKILL); }
  std::shared_ptr<const PeerProcess> watched() const {
    ProcessPlace place = this_process();
    place.process = process_;
    return std::make_shared<const PeerProcess>(place);
  }

 private:
  pid_t process_;
};

// Rank 0 watches ranks 1, which can be spared, and 2, which cannot.
struct WatchedJob {
  RankProcess spared;
  RankProcess needed;
  std::unique_ptr<NodePage> page = NodePage::in_process(3);
  std::atomic<int> needed_ended = 0;  // the rank; 0: none
  std::atomic<int> left_behind_with = -1;
  RanksWatch watch{
      *page,
      {.processes = {std::make_shared<const PeerProcess>(this_process()), spared.watched(), needed.watched()},
       .rank = 0,
       .can_spare = [](int rank) { return rank == 1; },
       .when_needed_ended = [this](int rank) { needed_ended = rank; },
       .when_left_behind = [this](ExitCode code) { left_behind_with = static_cast<int>(code); }}};
};

// Waits until done() is true; false after 20 s.
bool comes(const std::function<bool()>& done) {
  const Stopwatch watch;
  while (!done()) {
    if (watch.seconds() > 20) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return true;
}

}  // namespace

TEST_CASE("a rank that can be spared may end once ranks wait for each other no more, another one may not") {
  WatchedJob job;
  job.watch.go_apart();
  CHECK_FALSE(job.watch.has_any_ended());
  job.spared.kill();
  CHECK(comes([&] { return job.watch.has_ended(1); }));
  std::this_thread::sleep_for(std::chrono::milliseconds(600));  // two looks
  CHECK(job.needed_ended == 0);
  job.needed.kill();
  CHECK(comes([&] { return job.needed_ended == 2; }));
}

TEST_CASE("before that every rank is needed") {
  WatchedJob job;
  job.spared.kill();
  CHECK(comes([&] { return job.needed_ended == 1; }));
}

TEST_CASE("when the job is over nobody is needed, and who is still there seconds later leaves with the job's code") {
  WatchedJob job;
  job.watch.go_apart();
  job.watch.end_job(ExitCode::stopped);
  const Stopwatch watch;
  job.needed.kill();
  CHECK(comes([&] { return job.left_behind_with == static_cast<int>(ExitCode::stopped); }));
  CHECK(watch.seconds() > 2);
  CHECK(job.needed_ended == 0);
}

TEST_CASE("a rank that ends the job kills the others") {
  WatchedJob job;
  job.watch.go_apart();
  job.watch.end_others();
  CHECK(comes([&] { return job.watch.has_ended(1) && job.watch.has_ended(2); }));
}

}  // namespace lockstep

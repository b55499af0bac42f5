#include "launch/job/launcher_ended.h"

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

namespace lockstep {
namespace {

// A process that waits for its end.
class Child {
 public:
  Child() : process_(::fork()) {
    if (process_ == 0) {
      while (true) ::pause();
    }
    REQUIRE(process_ > 0);
  }
  ~Child() {
    kill();
    ::waitpid(process_, nullptr, 0);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  pid_t process() const { return process_; }
  void stop() const {
    ::kill(process_, SIGSTOP);
    siginfo_t info{};
    ::waitid(P_PID, static_cast<id_t>(process_), &info, WSTOPPED | WNOWAIT);
  }
  // Leaves a zombie.
  void kill() const {
    ::kill(process_, SIGKILL);
    siginfo_t info{};
    ::waitid(P_PID, static_cast<id_t>(process_), &info, WEXITED | WNOWAIT);
  }

 private:
  pid_t process_;
};

int looks_until_certain(LauncherEnded& ended) {
  int looks = 1;
  while (looks < 100 && !ended.certain()) ++looks;
  return looks;
}

}  // namespace

TEST_CASE("a launcher that runs has not ended, nor has one that is stopped") {
  const Child child;
  LauncherEnded ended(child.process());
  CHECK(looks_until_certain(ended) == 100);
  child.stop();
  CHECK(looks_until_certain(ended) == 100);
}

TEST_CASE(
    "a launcher that was killed, also a zombie, has ended after six seconds, which Open MPI has for its own end") {
  pid_t former = 0;
  {
    const Child child;
    former = child.process();
    LauncherEnded ended(former);
    CHECK(!ended.certain());
    child.kill();
    CHECK(looks_until_certain(ended) == 6);
    CHECK(ended.certain());
  }
  LauncherEnded ended(former);  // it was gone before it could be watched
  CHECK(looks_until_certain(ended) == 6);
}

}  // namespace lockstep

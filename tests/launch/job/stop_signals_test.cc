#include "launch/job/stop_signals.h"

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <functional>
#include <iostream>
#include <thread>
#include <vector>

#include "base/clock.h"

namespace lockstep {
namespace {

constexpr std::chrono::milliseconds kShort{20};  // short enough for tests to wait
constexpr std::chrono::hours kLong{1};           // longer than any slow machine needs

// Runs body in a child process and returns its status as waitpid() does. The child never returns to the test.
int end_of_child(const std::function<void()>& body) {
  std::cout.flush();  // otherwise the child may write it again
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    ::alarm(20);
    body();
    ::_exit(0);
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

// Sends to the process, as others do: raise() would send it to this thread alone, which blocks it.
void send(int signal) { ::kill(::getpid(), signal); }

// Sends the signal, then waits until the request is noted.
void ask(const StopSignals& signals, int signal) {
  send(signal);
  while (!signals.requested()) std::this_thread::yield();
}

// Waits for as long as a signal may need to be noted.
void let_it_come() { std::this_thread::sleep_for(std::chrono::milliseconds(50)); }

bool exits_with(int status, int code) { return WIFEXITED(status) && WEXITSTATUS(status) == code; }
bool dies_of(int status, int signal) { return WIFSIGNALED(status) && WTERMSIG(status) == signal; }

TEST_CASE("each of the four signals is a request, and the first one is remembered") {
  for (const int signal : {SIGTERM, SIGINT, SIGUSR1, SIGUSR2}) {
    CAPTURE(signal);
    const StopSignals signals;
    CHECK(!signals.requested());
    CHECK(signals.first().signal == 0);
    const std::int64_t before = monotonic_ns();
    ask(signals, signal);
    send(signal == SIGUSR1 ? SIGUSR2 : SIGUSR1);
    let_it_come();
    const StopRequest first = signals.first();
    CHECK(first.signal == signal);
    CHECK(first.pid == ::getpid());
    CHECK(first.uid == ::getuid());
    CHECK(first.time_ns >= before);
    CHECK(first.time_ns <= monotonic_ns());
  }
}

TEST_CASE("a request tells who sent it") {
  const StopSignals signals;
  const int status = end_of_child([] { ::kill(::getppid(), SIGUSR2); });
  CHECK(exits_with(status, 0));
  // The signal was sent before the child ended, but may be delivered a moment later if the test has threads.
  while (!signals.requested()) std::this_thread::yield();
  CHECK(signals.first().signal == SIGUSR2);
  CHECK(signals.first().pid != ::getpid());
  CHECK(signals.first().pid > 0);

  CHECK(describe({.signal = SIGUSR1, .pid = 4711, .uid = ::getuid()}) == "SIGUSR1 from process 4711");
  CHECK(describe({.signal = SIGUSR2, .pid = 17, .uid = ::getuid() + 1}) ==
        "SIGUSR2 from process 17 of user " + std::to_string(::getuid() + 1));
  CHECK(describe({.signal = SIGINT, .pid = 0}) == "SIGINT from the terminal");
  CHECK(describe({.signal = SIGTERM, .pid = 0}) == "SIGTERM");
}

TEST_CASE("a request is heard at once, also one that came before anybody listened") {
  for (const bool listens_before : {true, false}) {
    CAPTURE(listens_before);
    StopSignals signals;
    std::atomic<int> heard = 0;
    const auto listen = [&] { signals.when_asked([&heard](const StopRequest& request) { heard = request.signal; }); };
    if (listens_before) listen();
    ask(signals, SIGUSR1);
    if (!listens_before) listen();
    while (heard == 0) std::this_thread::yield();
    CHECK(heard == SIGUSR1);
    heard = 0;
    send(SIGTERM);  // the same kind of request
    let_it_come();
    CHECK(heard == 0);
  }
}

TEST_CASE("SIGCONT asks to save if it is the parent's, as often as it comes, and never to end") {
  const auto body = [](bool from_parent) {
    const StopSignals signals;
    const pid_t child = ::fork();
    if (child == 0) {
      ::kill(::getppid(), from_parent ? 0 : SIGCONT);
      ::_exit(0);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    if (from_parent) {
      while (signals.save_requests() == 0) let_it_come();
    } else {
      let_it_come();
    }
    ::_exit(signals.requested() ? 2 : static_cast<int>(signals.save_requests()));
  };
  CHECK(exits_with(end_of_child([&] { body(false); }), 0));
  std::cout.flush();
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    ::alarm(20);
    body(true);
  }
  int status = 0;
  while (::waitpid(child, &status, WNOHANG) == 0) {
    ::kill(child, SIGCONT);
    let_it_come();
  }
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) != 0);
}

TEST_CASE("any number of SIGUSR1 and SIGUSR2 is one request, at any time") {
  const StopSignals signals(kShort);
  for (int i = 0; i < 4; ++i) ask(signals, SIGUSR2);
  std::this_thread::sleep_for(2 * kShort);
  for (int i = 0; i < 4; ++i) send(SIGUSR1);
  send(SIGTERM);  // the first of its kind
  let_it_come();
  CHECK(signals.first().signal == SIGUSR2);
}

TEST_CASE("a second SIGTERM or SIGINT ends the process, but not within the patience") {
  for (const int second : {SIGTERM, SIGINT}) {
    CAPTURE(second);
    const int soon = end_of_child([second] {
      const StopSignals signals(kLong);
      ask(signals, SIGTERM);
      for (int i = 0; i < 3; ++i) send(second);
      let_it_come();
    });
    CHECK(exits_with(soon, 0));
    const int later = end_of_child([second] {
      const StopSignals signals(kShort);
      ask(signals, SIGUSR1);
      send(SIGINT);
      while (true) {  // while a signal is pending, further ones of its kind are dropped
        let_it_come();
        send(second);
      }
    });
    CHECK(dies_of(later, second));
  }
}

TEST_CASE("who leaves after the save leaves with its code, whatever comes") {
  for (const int signal : {SIGTERM, SIGINT, SIGUSR1, SIGUSR2}) {
    CAPTURE(signal);
    const int status = end_of_child([signal] {
      {
        StopSignals signals;
        ask(signals, SIGUSR1);
        signals.leave_with(75);
      }
      send(signal);  // also when the object is gone
      ::pause();
    });
    CHECK(exits_with(status, 75));
  }
}

TEST_CASE("a signal that nobody will look for ends the process, also one that has come before") {
  const int during = end_of_child([] {
    StopSignals signals;
    const StopSignals::Unanswered unanswered(signals);
    send(SIGTERM);
    ::pause();
  });
  CHECK(dies_of(during, SIGTERM));
  const int before = end_of_child([] {
    StopSignals signals;
    ask(signals, SIGUSR1);
    const StopSignals::Unanswered unanswered(signals);
    ::pause();
  });
  CHECK(dies_of(before, SIGUSR1));
  const int after = end_of_child([] {
    StopSignals signals;
    { const StopSignals::Unanswered unanswered(signals); }
    ask(signals, SIGTERM);
  });
  CHECK(exits_with(after, 0));
}

TEST_CASE("signals that were ignored or blocked are taken over and given back") {
  struct sigaction ignored {};
  ignored.sa_handler = SIG_IGN;
  struct sigaction original {};
  REQUIRE(::sigaction(SIGINT, &ignored, &original) == 0);
  sigset_t blocked{};
  ::sigemptyset(&blocked);
  ::sigaddset(&blocked, SIGUSR1);
  sigset_t original_mask{};
  ::pthread_sigmask(SIG_BLOCK, &blocked, &original_mask);
  {
    const StopSignals signals;
    ask(signals, SIGUSR1);
    CHECK(signals.first().signal == SIGUSR1);
  }
  {
    const StopSignals signals;
    ask(signals, SIGINT);
    CHECK(signals.first().signal == SIGINT);
  }
  struct sigaction now {};
  ::sigaction(SIGINT, &original, &now);
  CHECK((now.sa_handler == SIG_IGN));
  sigset_t mask{};
  ::pthread_sigmask(SIG_SETMASK, &original_mask, &mask);
  CHECK(::sigismember(&mask, SIGUSR1) == 1);
}

// oneDNN's generated code changes the stack pointer like this.
TEST_CASE("a thread whose stack pointer lies in the heap is left alone") {
  const int status = end_of_child([] {
    const StopSignals signals;
    std::vector<unsigned char> heap(1 << 16, 0x5A);
    const pid_t asker = ::fork();
    if (asker == 0) {
      ::usleep(20000);
      ::kill(::getppid(), SIGUSR1);
      ::_exit(0);
    }
#ifdef __x86_64__
    const std::atomic<bool>* requested = &signals.requested();
    asm volatile(
        "mov %%rsp, %%rbx\n"
        "mov %0, %%rsp\n"
        "1: cmpb $0, (%1)\n"
        "pause\n"
        "je 1b\n"
        "mov %%rbx, %%rsp\n"
        :
        : "r"(heap.data() + heap.size() - 64), "r"(requested)
        : "rbx", "memory", "cc");
#endif
    for (const unsigned char byte : heap) {
      if (byte != 0x5A) ::_exit(1);
    }
  });
  CHECK(exits_with(status, 0));
}

TEST_CASE("a waiting system call goes on after a signal, and SIGHUP stays as it was") {
  struct sigaction before {};
  ::sigaction(SIGHUP, nullptr, &before);
  const int status = end_of_child([] {
    const StopSignals signals;
    int ends[2] = {};
    if (::pipe(ends) != 0) ::_exit(1);
    const pid_t waker = ::fork();
    if (waker == 0) {
      ::usleep(20000);
      ::kill(::getppid(), SIGUSR1);
      ::usleep(20000);
      ::_exit(::write(ends[1], "x", 1) == 1 ? 0 : 1);
    }
    char letter = 0;
    const bool read = ::read(ends[0], &letter, 1) == 1 && letter == 'x';
    while (!signals.requested()) std::this_thread::yield();
    ::_exit(read ? 0 : 2);
  });
  CHECK(exits_with(status, 0));
  const StopSignals signals;
  struct sigaction now {};
  ::sigaction(SIGHUP, nullptr, &now);
  CHECK((now.sa_handler == before.sa_handler));
}

}  // namespace
}  // namespace lockstep

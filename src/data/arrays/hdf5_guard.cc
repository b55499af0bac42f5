#include "data/arrays/hdf5_guard.h"

#include <fmt/format.h>
#include <signal.h>  // NOLINT(modernize-deprecated-headers): POSIX's, not C's
#include <time.h>    // NOLINT(modernize-deprecated-headers)
#include <unistd.h>

#include <mutex>
#include <optional>
#include <vector>

#include "base/error.h"
#include "base/host_name.h"
#include "base/printable.h"

#ifndef sigev_notify_thread_id                 // glibc before 2.38 has no name for it
#define sigev_notify_thread_id _sigev_un._tid  // NOLINT
#endif

namespace lockstep {

// Data of the signal handlers, made in advance: they must not allocate.
struct Hdf5Guard::State {
  std::string crashed;
  std::string too_slow;
  std::vector<char> stack;  // for the handlers: the thread's own stack may be exhausted
  stack_t previous_stack{};
  std::optional<timer_t> timer{};
};

namespace {

// Thread-locals, because a signal handler has no other access to its data.
thread_local const std::string* words_for_crash = nullptr;
thread_local const std::string* words_for_limit = nullptr;
struct sigaction previous_segv {};
struct sigaction previous_bus {};

void end_with(const std::string& words) {
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, words.data(), words.size());
  _exit(static_cast<int>(ExitCode::bad_data));
}

void on_crash(int signal, siginfo_t*, void*) {
  if (words_for_crash != nullptr) end_with(*words_for_crash);
  // Not ours: restore the previous handler, which gets the signal when the instruction is retried.
  sigaction(signal, signal == SIGSEGV ? &previous_segv : &previous_bus, nullptr);
}

void on_limit(int) {
  if (words_for_limit != nullptr) end_with(*words_for_limit);
}

// The signal handlers, installed while any thread has a guard, so that other handlers of these signals may come and go
// before and after.
class Handlers {
 public:
  void add_guard() {
    const std::lock_guard lock(mutex_);
    if (guards_++ > 0) return;
    struct sigaction crash {};
    sigemptyset(&crash.sa_mask);
    crash.sa_flags = SA_SIGINFO | SA_ONSTACK;
    crash.sa_sigaction = on_crash;
    sigaction(SIGSEGV, &crash, &previous_segv);
    sigaction(SIGBUS, &crash, &previous_bus);
    struct sigaction limit {};
    sigemptyset(&limit.sa_mask);
    limit.sa_flags = SA_ONSTACK | SA_RESTART;
    limit.sa_handler = on_limit;
    sigaction(SIGVTALRM, &limit, &previous_limit_);
  }

  void remove_guard() {
    const std::lock_guard lock(mutex_);
    if (--guards_ > 0) return;
    sigaction(SIGSEGV, &previous_segv, nullptr);
    sigaction(SIGBUS, &previous_bus, nullptr);
    sigaction(SIGVTALRM, &previous_limit_, nullptr);
  }

 private:
  std::mutex mutex_;
  int guards_ = 0;  // guarded by mutex_
  struct sigaction previous_limit_ {};
};

Handlers handlers;

// Sends SIGVTALRM to this thread when it has used this much processor time. Returns none if the system has no timer
// left; then there is no limit.
std::optional<timer_t> start_timer(int seconds) {
  sigevent event{};
  event.sigev_notify = SIGEV_THREAD_ID;
  event.sigev_signo = SIGVTALRM;
  event.sigev_notify_thread_id = gettid();
  timer_t timer{};
  if (timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &timer) != 0) return std::nullopt;
  itimerspec end{};
  end.it_value.tv_sec = seconds;
  timer_settime(timer, 0, &end, nullptr);
  return timer;
}

}  // namespace

Hdf5Guard::Hdf5Guard(const std::string& path, int seconds) {
  if (words_for_crash != nullptr) return;
  const auto words = [&](const std::string& what) {
    return fmt::format("lockstep: {}: {}: the HDF5 library {}: the file is damaged; get or save it again\n",
                       host_name(), in_quotes(path), what);
  };
  constexpr std::size_t kStackBytes = 64 << 10;
  state_ = std::make_unique<State>(
      State{.crashed = words("crashed when it read it"),
            .too_slow = words(fmt::format("was not done with its structure after {} s", seconds)),
            .stack = std::vector<char>(kStackBytes)});
  stack_t own{};
  own.ss_sp = state_->stack.data();
  own.ss_size = state_->stack.size();
  sigaltstack(&own, &state_->previous_stack);
  words_for_crash = &state_->crashed;
  handlers.add_guard();
  if (seconds == kNoLimit) return;
  words_for_limit = &state_->too_slow;
  state_->timer = start_timer(seconds);
}

Hdf5Guard::~Hdf5Guard() {
  if (!state_) return;
  if (const std::optional<timer_t> timer = state_->timer) timer_delete(*timer);
  handlers.remove_guard();
  words_for_crash = nullptr;
  words_for_limit = nullptr;
  sigaltstack(&state_->previous_stack, nullptr);
}

}  // namespace lockstep

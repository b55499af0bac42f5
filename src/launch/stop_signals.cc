#include "launch/stop_signals.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>

#include "base/clock.h"
#include "base/error.h"

namespace lockstep {
namespace {

// A signal handler gets no pointer of ours, so what it writes has to be reachable by name: the one state of the process
// that is unavoidable. It is as global as the handlers themselves, of which a process has one set. Atomics without a
// lock are the only objects that a handler and threads may share.
struct Noted {
  std::atomic<int> claimed{0};  // signal number of the request
  std::atomic<std::int64_t> pid{0};
  std::atomic<std::int64_t> uid{0};
  std::atomic<std::int64_t> time_ns{0};
  std::atomic<bool> requested{false};  // the four above are set

  std::atomic<std::int64_t> first_end_ns{0};  // of the first SIGTERM or SIGINT
  std::atomic<std::int64_t> patience_ns{0};
  std::atomic<int> leave_code{-1};  // -1: not leaving yet
  std::atomic<bool> in_use{false};
};
static_assert(std::atomic<std::int64_t>::is_always_lock_free && std::atomic<int>::is_always_lock_free &&
              std::atomic<bool>::is_always_lock_free);
constinit Noted noted;

void forget() {
  noted.claimed = 0;
  noted.requested = false;
  noted.first_end_ns = 0;
  noted.leave_code = -1;
}

// Whether this SIGTERM or SIGINT is the second one of somebody who means it.
bool means_it(std::int64_t now) {
  std::int64_t first = 0;
  if (noted.first_end_ns.compare_exchange_strong(first, now)) return false;
  return now - first >= noted.patience_ns;
}

void note(int signal, const siginfo_t& sender, std::int64_t now) {
  int nobody = 0;
  if (!noted.claimed.compare_exchange_strong(nobody, signal)) return;
  const bool by_process = sender.si_code == SI_USER || sender.si_code == SI_QUEUE || sender.si_code == SI_TKILL;
  noted.pid = by_process ? sender.si_pid : 0;
  noted.uid = by_process ? sender.si_uid : 0;
  noted.time_ns = now;
  noted.requested = true;
}

// Calls nothing but what signal-safety(7) allows.
extern "C" void on_stop_signal(int signal, siginfo_t* sender, void* /*context*/) {
  const int before = errno;
  const int code = noted.leave_code;
  if (code >= 0) ::_exit(code);
  const std::int64_t now = monotonic_ns();
  const bool ends = signal == SIGTERM || signal == SIGINT;
  if (ends && means_it(now)) {
    struct sigaction standard {};
    standard.sa_handler = SIG_DFL;
    ::sigaction(signal, &standard, nullptr);
    ::raise(signal);  // comes when this handler, in which it is blocked, has returned
  } else {
    note(signal, *sender, now);
  }
  errno = before;
}

std::string name_of(int signal) {
  switch (signal) {
    case SIGTERM:
      return "SIGTERM";
    case SIGINT:
      return "SIGINT";
    case SIGUSR1:
      return "SIGUSR1";
    case SIGUSR2:
      return "SIGUSR2";
    default:
      return fmt::format("signal {}", signal);
  }
}

}  // namespace

std::string describe(const StopRequest& request) {
  const std::string name = name_of(request.signal);
  if (request.pid == 0) return request.signal == SIGINT ? name + " from the terminal" : name;
  if (request.uid == ::getuid()) return fmt::format("{} from process {}", name, request.pid);
  return fmt::format("{} from process {} of user {}", name, request.pid, request.uid);
}

StopSignals::StopSignals(std::chrono::milliseconds patience) {
  LS_CHECK(!noted.in_use.exchange(true), "a process has one set of signal handlers");
  forget();
  noted.patience_ns = std::chrono::nanoseconds(patience).count();
  struct sigaction ours {};
  ours.sa_sigaction = on_stop_signal;
  ours.sa_flags = SA_SIGINFO | SA_RESTART;
  ::sigemptyset(&ours.sa_mask);
  for (const int signal : kSignals) ::sigaddset(&ours.sa_mask, signal);
  for (std::size_t i = 0; i < kSignals.size(); ++i) ::sigaction(kSignals[i], &ours, &before_[i]);
  ::pthread_sigmask(SIG_UNBLOCK, &ours.sa_mask, &mask_before_);
}

StopSignals::~StopSignals() {
  if (noted.leave_code < 0) {
    ::pthread_sigmask(SIG_SETMASK, &mask_before_, nullptr);
    for (std::size_t i = 0; i < kSignals.size(); ++i) ::sigaction(kSignals[i], &before_[i], nullptr);
  }
  noted.in_use = false;
}

const std::atomic<bool>& StopSignals::requested() const { return noted.requested; }

StopRequest StopSignals::first() const {
  if (!noted.requested) return {};
  return {noted.claimed, static_cast<pid_t>(noted.pid), static_cast<uid_t>(noted.uid), noted.time_ns};
}

void StopSignals::leave_with(int code) { noted.leave_code = code; }

}  // namespace lockstep

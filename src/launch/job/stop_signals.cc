#include "launch/job/stop_signals.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/error.h"
#include "base/signal_name.h"
#include "base/worker_thread.h"
#include "launch/job/mpirun_process.h"
#include "launch/job/process_tree.h"

namespace lockstep {
namespace {

StopRequest request_of(const siginfo_t& sender) {
  const bool by_process = sender.si_code == SI_USER || sender.si_code == SI_QUEUE || sender.si_code == SI_TKILL;
  return {.signal = sender.si_signo,
          .pid = by_process ? sender.si_pid : 0,
          .uid = by_process ? sender.si_uid : 0,
          .time_ns = monotonic_ns()};
}

// True if the sender started this process, or is an mpirun that did so by a script.
bool has_started_us(pid_t sender) {
  if (sender == ::getppid()) return true;
  const std::vector<pid_t> above = ancestors();
  return std::ranges::find(above, sender) != above.end() && starts_ranks(fmt::format("/proc/{}", sender));
}

// Takes the default action, on this thread, the only one that unblocks the signal.
void let_it_end_the_process(int signal) {
  struct sigaction standard {};
  standard.sa_handler = SIG_DFL;
  ::sigaction(signal, &standard, nullptr);
  sigset_t one{};
  ::sigemptyset(&one);
  ::sigaddset(&one, signal);
  ::pthread_sigmask(SIG_UNBLOCK, &one, nullptr);
  ::kill(::getpid(), signal);
}

constexpr std::int64_t kPatienceWithAnswerNs = 500'000'000;

}  // namespace

struct StopSignals::State {
  std::chrono::nanoseconds patience{};
  sigset_t signals{};
  StopRequest first{};  // written once, before requested
  std::atomic<bool> requested{false};
  std::atomic<int> leave_code{-1};  // -1: not leaving yet
  std::atomic<bool> unanswered{false};
  std::atomic<bool> over{false};  // the signal that comes now is the destructor's
  std::atomic<std::int64_t> save_requests{0};
  std::atomic<bool> answering{false};
  std::mutex mutex;
  // Guarded by mutex:
  std::function<void(const StopRequest&)> hear{};
  std::optional<StopRequest> unheard{};  // a request to end

  void heard(const StopRequest& request) {
    const std::lock_guard lock(mutex);
    if (hear) {
      hear(request);
    } else if (request.signal != SIGCONT) {
      unheard = request;
    }
  }
};

std::string describe(const StopRequest& request) {
  const std::string name = signal_name(request.signal);
  if (request.pid == 0) return request.signal == SIGINT ? name + " from the terminal" : name;
  if (request.uid == ::getuid()) return fmt::format("{} from process {}", name, request.pid);
  return fmt::format("{} from process {} of user {}", name, request.pid, request.uid);
}

StopSignals::StopSignals(std::chrono::milliseconds patience) : state_(std::make_shared<State>()) {
  state_->patience = patience;
  ::sigemptyset(&state_->signals);
  for (const int signal : kSignals) ::sigaddset(&state_->signals, signal);
  ::pthread_sigmask(SIG_BLOCK, &state_->signals, &mask_before_);
  struct sigaction standard {};  // an ignored signal would never be waited for
  standard.sa_handler = SIG_DFL;
  for (std::size_t i = 0; i < kSignals.size(); ++i) ::sigaction(kSignals[i], &standard, &before_[i]);
  thread_ = std::thread([state = state_, answers = std::make_unique<WorkerThread>()] { wait(state, *answers); });
}

StopSignals::~StopSignals() {
  if (state_->leave_code >= 0) {
    thread_.detach();  // it waits on, until the process has left
    return;
  }
  state_->over = true;
  ::pthread_kill(thread_.native_handle(), SIGUSR1);
  thread_.join();
  for (std::size_t i = 0; i < kSignals.size(); ++i) ::sigaction(kSignals[i], &before_[i], nullptr);
  ::pthread_sigmask(SIG_SETMASK, &mask_before_, nullptr);
}

void StopSignals::wait(const std::shared_ptr<State>& state, WorkerThread& answers) {
  // An answer may be written where nobody reads it, while this thread has to see the next signal. One answer at a time;
  // requests that come meanwhile get none.
  const auto answer = [&state, &answers](const StopRequest& request) {
    if (state->answering.exchange(true)) return;
    answers.add([state, request] {
      state->heard(request);
      state->answering = false;
    });
  };
  std::int64_t first_end_ns = 0;  // time of the first SIGTERM or SIGINT
  while (true) {
    siginfo_t sender{};
    if (::sigwaitinfo(&state->signals, &sender) < 0) continue;  // interrupted by a debugger
    if (state->over) return;
    const StopRequest request = request_of(sender);
    if (request.signal == SIGCONT) {
      if (!has_started_us(request.pid)) continue;
      ++state->save_requests;
      if (!state->requested) answer(request);
      continue;
    }
    if (const int code = state->leave_code; code >= 0) ::_exit(code);
    if (state->unanswered) let_it_end_the_process(request.signal);
    if (request.signal == SIGTERM || request.signal == SIGINT) {
      if (first_end_ns != 0 && request.time_ns - first_end_ns >= state->patience.count()) {
        let_it_end_the_process(request.signal);
      }
      if (first_end_ns == 0) first_end_ns = request.time_ns;
    }
    if (state->requested) continue;
    state->first = request;
    state->requested = true;
    if (state->unanswered) let_it_end_the_process(request.signal);  // Unanswered's constructor may have come first
    answer(request);
  }
}

const std::atomic<bool>& StopSignals::requested() const { return state_->requested; }

StopRequest StopSignals::first() const { return state_->requested ? state_->first : StopRequest{}; }

const std::atomic<std::int64_t>& StopSignals::save_requests() const { return state_->save_requests; }

void StopSignals::when_asked(std::function<void(const StopRequest&)> hear) {
  std::unique_lock lock(state_->mutex, std::try_to_lock);
  // Polls, since ThreadSanitizer does not know the call by which a timed mutex waits.
  for (const std::int64_t end_ns = monotonic_ns() + kPatienceWithAnswerNs; !lock.owns_lock(); lock.try_lock()) {
    if (monotonic_ns() > end_ns) return;  // nobody reads the answer in progress; the caller is about to leave
    std::this_thread::sleep_for(std::chrono::milliseconds{1});
  }
  state_->hear = std::move(hear);
  if (!state_->hear) return;
  if (const auto request = std::exchange(state_->unheard, std::nullopt)) state_->hear(*request);
}

StopSignals::Unanswered::Unanswered(StopSignals& signals) : signals_(signals) {
  signals_.state_->unanswered = true;
  if (signals_.requested()) ::kill(::getpid(), signals_.first().signal);
}

StopSignals::Unanswered::~Unanswered() { signals_.state_->unanswered = false; }

void StopSignals::leave_with(int code) {
  when_asked({});
  state_->leave_code = code;
}

}  // namespace lockstep

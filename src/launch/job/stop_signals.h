#pragma once

#include <sys/types.h>

#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <thread>

namespace lockstep {

class WorkerThread;

// A request to this process to save and end.
struct StopRequest {
  int signal = 0;            // 0: none yet
  pid_t pid = 0;             // the sender; 0: the kernel (Ctrl-C), or a process of another pid namespace
  uid_t uid = 0;             // the sender's user
  std::int64_t time_ns = 0;  // of monotonic_ns()
};
// The request in messages: "SIGUSR1 from process 4711"; by another user: "SIGUSR2 from process 17 of user 0".
std::string describe(const StopRequest& request);

// Takes SIGTERM, SIGINT, SIGUSR1 and SIGUSR2 as a request to save and end, as long as this object lives. SIGCONT from
// the parent process, or from an mpirun or its daemon further up, is a request to save: an mpirun that is interrupted
// sends it to the ranks a second before SIGTERM, and if it is interrupted twice it sends nothing else. (One that is
// continued sends it, too; that save costs little.)
//
// These signals are blocked in every thread, and one thread waits for them: no handler ever runs on the stack of a
// thread that computes. This is required: oneDNN's generated products point the stack pointer into a buffer of the
// heap, and the kernel would put a handler's frame, several kilobytes with AVX-512, over what lies below it.
//
// The first of the four is noted. Everything after it is the same request: Grid Engine alone sends SIGUSR2 up to four
// times within milliseconds. Only a SIGTERM or SIGINT that comes at least `patience` after the first of these two ends
// the process at once, with the default action: the second signal is an order.
//
// One object at a time, made in the main thread before others start, which inherit what is blocked. It also takes over
// signals that were ignored when the process started (a shell's background jobs ignore SIGINT, `trap '' USR1` is
// inherited): a user who sends one to a trainer wants its checkpoint. SIGHUP is left alone, so nohup works. The
// destructor restores what was before. requested() and first(): any thread.
class StopSignals {
 public:
  static constexpr std::chrono::milliseconds kPatience{2000};

  explicit StopSignals(std::chrono::milliseconds patience = kPatience);
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  const std::atomic<bool>& requested() const;
  StopRequest first() const;
  // The number of requests to save so far. Any thread.
  const std::atomic<std::int64_t>& save_requests() const;

  // Calls `hear` for the first request to end, and before it for each one to save, but for none that comes during a
  // call: on a thread for this, or right here for a request to end that has already come. {} ends this, and no call is
  // in progress when when_asked() returns. If a call hangs for half a second, it gives up and changes nothing.
  void when_asked(std::function<void(const StopRequest&)> hear);

  // Called when the checkpoint is safe and all ranks know it: from now on each of the four signals to end does so at
  // once with this exit code, even when this object is gone; no request is heard any more. (srun -K and mpirun kill a
  // rank that leaves later than the first; a job whose last rank dies of a SIGTERM loses the code that would have it
  // started again.) Not with 0 before MPI_Finalize: the launcher takes a process that leaves like that for one that has
  // crashed.
  void leave_with(int code);

  // As long as this lives, each of the signals but SIGCONT ends the process, with its default action, and so does one
  // that has already come: there is nothing to save, and the running code, a user's, may never look for a request.
  class Unanswered {
   public:
    explicit Unanswered(StopSignals& signals);
    ~Unanswered();
    Unanswered(const Unanswered&) = delete;
    Unanswered& operator=(const Unanswered&) = delete;

   private:
    StopSignals& signals_;
  };

 private:
  static constexpr std::array<int, 5> kSignals{SIGTERM, SIGINT, SIGUSR1, SIGUSR2, SIGCONT};
  struct State;  // shared with the thread, which may outlive this object

  static void wait(const std::shared_ptr<State>& state, WorkerThread& answers);

  std::array<struct sigaction, kSignals.size()> before_{};
  sigset_t mask_before_{};
  std::shared_ptr<State> state_;
  std::thread thread_;
};

}  // namespace lockstep

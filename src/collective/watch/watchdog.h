#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <span>
#include <stop_token>
#include <string>
#include <thread>

#include "base/trace.h"
#include "collective/watch/hang_report.h"
#include "collective/watch/node_page.h"

namespace lockstep {

// Decides when a collective hangs. Counts ticks, not the clock: a job that is suspended as a whole gets no ticks, so it
// does not expire. While this rank, or one of the host that has not arrived, is in a long phase (writing, reading,
// evaluating), a tick counts a tenth. Pure; one thread.
class HangDetector {
 public:
  explicit HangDetector(std::int64_t patience_ticks) : patience_(patience_ticks * kWeight) {}

  // True once for each collective, when this rank (`mine`) has been in it for too long.
  bool tick(const RankStatus& mine, std::span<const RankStatus> ranks);

 private:
  static constexpr std::int64_t kWeight = 10;  // a long phase is given ten times as long

  std::int64_t patience_;
  std::int64_t waited_ = 0;
  std::uint32_t sequence_ = 0;
};

// Decides when this rank itself is late: in no collective, and neither step nor count of collectives have moved for
// patience_ticks. It may be healthy and no rank may wait for it, so this ends nothing; but if ranks of other hosts do
// wait, their verdict cannot see this host, and its own report says which rank was missing. Pure; one thread.
class LateDetector {
 public:
  explicit LateDetector(std::int64_t patience_ticks) : patience_(patience_ticks * kWeight) {}

  // True once for each time that this rank makes no progress for too long.
  bool tick(const RankStatus& mine);

 private:
  static constexpr std::int64_t kWeight = 10;

  std::int64_t patience_;
  std::int64_t stood_ = 0;
  std::int64_t step_ = -1;
  std::uint32_t sequence_ = 0;
};

struct WatchdogOptions {
  double hang_timeout_s = 60;
  std::chrono::milliseconds tick{100};
  // Time between the verdict and on_hang: ranks of other hosts come to theirs at about the same time, and print it too.
  std::chrono::milliseconds grace{1000};
  std::string host;
  int world_size = 1;
  std::function<void(const std::string&)> print;  // default: one write to stderr
};

// A thread that ends the job when a collective hangs: one rank of each host prints the verdict (hang_report), then
// every watchdog that lost patience calls on_hang, from its thread (launch/ passes an abort with exit code 70). On a
// host where no rank waits but one makes no progress, it prints the late report and continues.
//
// Reads this host's status page and this rank's Trace; both must outlive it. Makes no MPI call. Owned by main; the
// destructor stops the thread, but waits for an on_hang that has begun.
class Watchdog {
 public:
  // line: this rank's place on the page.
  Watchdog(NodePage& page, int line, const Trace& trace, WatchdogOptions options, std::function<void()> on_hang);
  ~Watchdog() = default;
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

 private:
  void run(const std::stop_token& stop);
  void look(HangDetector& hang, LateDetector& late, const std::stop_token& stop);
  // Returns false if it was stopped meanwhile.
  bool sleep_for(std::chrono::milliseconds time, const std::stop_token& stop);

  NodePage& page_;
  StatusLine& line_;
  const Trace& trace_;
  WatchdogOptions options_;
  std::function<void()> on_hang_;
  std::mutex mutex_;
  std::condition_variable_any stopped_;
  std::jthread thread_;  // last: it uses the others until it has ended
};

}  // namespace lockstep

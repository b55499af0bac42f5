#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <utility>

#include "lease/clock.h"

namespace lockstep {

// A clock that a test winds forward, so that no test has to wait. A sleep without a stop token (acquire) advances the
// clock by its length; on_sleep, if any, then does what others do in that time. A sleep with a stop token (a heartbeat)
// lasts until a test has wound the clock far enough.
class WoundClock final : public LeaseClock {
 public:
  explicit WoundClock(std::function<void(std::chrono::milliseconds now)> on_sleep = {})
      : on_sleep_(std::move(on_sleep)) {}

  std::chrono::milliseconds now() override {
    const std::lock_guard lock(mutex_);
    return now_;
  }

  void sleep(std::chrono::milliseconds time, const std::stop_token& stop) override {
    std::unique_lock lock(mutex_);
    if (!stop.stop_possible()) {
      const std::chrono::milliseconds now = now_ += time;
      lock.unlock();
      if (on_sleep_) on_sleep_(now);
      return;
    }
    const std::chrono::milliseconds end = now_ + time;
    ++sleeps_;
    changed_.notify_all();
    changed_.wait(lock, stop, [&] { return now_ >= end; });
  }

  // Call while one heartbeat thread lives: returns when it has slept, done its work, and sleeps again. Returns false if
  // it does not do so within ten seconds, because it has ended.
  bool wind(std::chrono::milliseconds time) {
    std::unique_lock lock(mutex_);
    if (!changed_.wait_for(lock, kReal, [this] { return sleeps_ > 0; })) return false;
    const int before = sleeps_;
    now_ += time;
    changed_.notify_all();
    return changed_.wait_for(lock, kReal, [&] { return sleeps_ > before; });
  }

  // The same for a thread that is to end: does not wait for it.
  void wind_last(std::chrono::milliseconds time) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, kReal, [this] { return sleeps_ > 0; });
    now_ += time;
    changed_.notify_all();
  }

 private:
  static constexpr std::chrono::seconds kReal{10};

  std::function<void(std::chrono::milliseconds now)> on_sleep_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::chrono::milliseconds now_{1000};
  int sleeps_ = 0;  // begun by heartbeats
};

}  // namespace lockstep

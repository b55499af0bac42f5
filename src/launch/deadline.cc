#include "launch/deadline.h"

#include <chrono>

namespace lockstep {

Deadline::Deadline(double seconds, std::function<void()> on_late)
    : thread_([this, seconds, on_late = std::move(on_late)] {
        constexpr std::chrono::milliseconds kTick{100};
        std::unique_lock lock(mutex_);
        for (double waited = 0; waited < seconds; waited += 0.1) {
          if (met_changed_.wait_for(lock, kTick, [this] { return met_; })) return;
        }
        on_late();
      }) {}

Deadline::~Deadline() {
  {
    const std::scoped_lock lock(mutex_);
    met_ = true;
  }
  met_changed_.notify_all();
  thread_.join();
}

}  // namespace lockstep

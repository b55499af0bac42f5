#include "launch/job/deadline.h"

#include <chrono>
#include <stop_token>
#include <utility>

namespace lockstep {

Deadline::Deadline(double seconds, std::function<void()> on_late)
    : thread_([this, seconds, on_late = std::move(on_late)](const std::stop_token& met) {
        constexpr std::chrono::milliseconds kTick{100};
        std::unique_lock lock(mutex_);
        for (double waited = 0; waited < seconds; waited += 0.1) {
          met_.wait_for(lock, met, kTick, [] { return false; });
          if (met.stop_requested()) return;
        }
        on_late();
      }) {}

}  // namespace lockstep

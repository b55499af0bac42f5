#include "launch/job/deadline.h"

#include <chrono>
#include <cstdint>
#include <stop_token>
#include <utility>

namespace lockstep {

Deadline::Deadline(double seconds, std::function<void()> on_late, std::function<void()> each_second)
    : thread_([this, seconds, on_late = std::move(on_late),
               each_second = std::move(each_second)](const std::stop_token& met) {
        constexpr int kTicksPerSecond = 10;
        constexpr std::chrono::milliseconds kTick{1000 / kTicksPerSecond};
        std::unique_lock lock(mutex_);
        for (std::int64_t tick = 1; static_cast<double>(tick - 1) < seconds * kTicksPerSecond; ++tick) {
          met_.wait_for(lock, met, kTick, [] { return false; });
          if (met.stop_requested()) return;
          if (each_second && tick % kTicksPerSecond == 0) each_second();
        }
        on_late();
      }) {}

}  // namespace lockstep

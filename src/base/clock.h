#pragma once

#include <chrono>
#include <cstdint>

namespace lockstep {

// Nanoseconds of CLOCK_MONOTONIC, the clock that all processes of one host share.
inline std::int64_t monotonic_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

// Seconds since construction or the last restart(). Not shared between threads.
class Stopwatch {
 public:
  double seconds() const { return static_cast<double>(monotonic_ns() - start_) * 1e-9; }
  void restart() { start_ = monotonic_ns(); }

 private:
  std::int64_t start_ = monotonic_ns();
};

}  // namespace lockstep

#pragma once

#include <chrono>
#include <memory>
#include <stop_token>

namespace lockstep {

// The lease's clock; tests have one of their own. Any thread may call its functions.
class LeaseClock {
 public:
  virtual ~LeaseClock() = default;
  virtual std::chrono::milliseconds now() = 0;  // time since an arbitrary moment
  // Returns early when a stop is requested. A default token is never stopped.
  virtual void sleep(std::chrono::milliseconds time, const std::stop_token& stop) = 0;
};

std::unique_ptr<LeaseClock> make_lease_clock();  // the steady clock

}  // namespace lockstep

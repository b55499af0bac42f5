#include "lease/clock.h"

#include <condition_variable>
#include <mutex>

namespace lockstep {
namespace {

class SteadyLeaseClock final : public LeaseClock {
 public:
  std::chrono::milliseconds now() override {
    return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now().time_since_epoch());
  }
  void sleep(std::chrono::milliseconds time, const std::stop_token& stop) override {
    std::mutex mutex;
    std::condition_variable_any nobody_notifies;
    std::unique_lock lock(mutex);
    nobody_notifies.wait_for(lock, stop, time, [] { return false; });
  }
};

}  // namespace

std::unique_ptr<LeaseClock> make_lease_clock() { return std::make_unique<SteadyLeaseClock>(); }

}  // namespace lockstep

#include "ps/rest.h"

#include <algorithm>
#include <thread>

namespace lockstep {
namespace {

using std::chrono::microseconds;

constexpr microseconds kPolling{100};
constexpr microseconds kFirstSleep{50};
constexpr microseconds kLongestSleep{1000};

}  // namespace

void RestBetweenPolls::pause(bool moving) {
  const auto now = std::chrono::steady_clock::now();
  if (!polling_since_) {
    polling_since_ = now;
    sleep_ = kFirstSleep;
  }
  if (now - *polling_since_ < kPolling) return;
  if (while_waiting_) while_waiting_();
  if (moving) sleep_ = kFirstSleep;
  std::this_thread::sleep_for(sleep_);
  sleep_ = std::min(2 * sleep_, kLongestSleep);
}

}  // namespace lockstep

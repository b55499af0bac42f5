#include "ps/rest.h"

#include <algorithm>
#include <thread>

namespace lockstep {
namespace {

using std::chrono::microseconds;

constexpr microseconds kPolling{100};
constexpr microseconds kShortestSleep{50};
constexpr microseconds kLongestSleep{1000};

}  // namespace

void RestBetweenPolls::pause(bool moving) {
  const auto now = std::chrono::steady_clock::now();
  if (!polling_since_) polling_since_ = now;
  const auto waited = std::chrono::duration_cast<microseconds>(now - *polling_since_);
  if (waited < kPolling) return;
  if (while_waiting_) while_waiting_();
  // A hundredth of the wait so far: nobody loses more than that by sleeping too long.
  std::this_thread::sleep_for(moving ? kShortestSleep : std::clamp(waited / 100, kShortestSleep, kLongestSleep));
}

}  // namespace lockstep

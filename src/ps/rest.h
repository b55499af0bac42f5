#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <utility>

namespace lockstep {

// The pauses of a loop that polls. After something has come it polls on without pause for a while, because the next
// message often follows soon; later it sleeps, longer and longer, so that a rank with nothing to do leaves its core to
// others. One thread.
class RestBetweenPolls {
 public:
  // while_waiting: called before each sleep; may throw to end the wait. It may be empty.
  explicit RestBetweenPolls(std::function<void()> while_waiting) : while_waiting_(std::move(while_waiting)) {}

  // Something has come.
  void over() { polling_since_.reset(); }
  // Nothing has come: returns at once, or after a sleep. moving: large messages are under way, which move on only
  // while both ends poll, so sleeps stay short.
  void pause(bool moving);

 private:
  std::function<void()> while_waiting_;
  std::optional<std::chrono::steady_clock::time_point> polling_since_;  // none: nothing was waited for yet
};

}  // namespace lockstep

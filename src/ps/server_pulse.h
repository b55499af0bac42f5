#pragma once

#include <chrono>
#include <vector>

#include "ps/group.h"
#include "ps/patience.h"
#include "ps/ps_messages.h"

namespace lockstep {

// Asks servers whether they live while a client waits for them, from a quarter of its patience on. A server answers
// even while it has nothing to give, so one that does not is stopped, or out of reach. The messages and the group
// outlive it. One thread.
class ServerPulse {
 public:
  ServerPulse(PsMessages& messages, const PsGroup& group, PsPatience patience);

  // To be called again and again while the client waits. Throws Error(internal) that names a server which has not
  // answered for as long as the patience lasts.
  void look();
  // Returns whether no answer is under way, and takes those that have come.
  bool quiet();

 private:
  using Clock = std::chrono::steady_clock;

  void ask();

  PsMessages& messages_;
  const PsGroup& group_;
  PsPatience patience_;
  Clock::time_point last_look_{};
  Clock::time_point noted_{};
  Clock::time_point since_{};  // when it asked, or else when this wait began or the last answer came
  bool asked_ = false;         // not all have answered yet
  std::vector<bool> silent_;   // by server
};

}  // namespace lockstep

#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "lease/file.h"
#include "lease/rules.h"

namespace lockstep {

// Watches a lease that another process holds, for a process that only waits for that one: reports when the heartbeat
// has stopped, and when it goes on. One thread.
class HeartbeatWatch {
 public:
  explicit HeartbeatWatch(const std::string& folder) : file_(folder, {}) {}

  // Returns a message when the holder has not beaten for kSilence, and when it beats again after that; otherwise, also
  // if there is no lease or it cannot be read, nothing. now: time since an arbitrary moment.
  std::optional<std::string> look(std::chrono::milliseconds now);

 private:
  LeaseFile file_;  // only read
  LeaseRules rules_{LeaseRecord{}};
  std::string holder_;  // the holder's token
  bool silent_ = false;
};

}  // namespace lockstep

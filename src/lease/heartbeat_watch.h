#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "lease/file.h"
#include "lease/rules.h"

namespace lockstep {

// Watches a lease that another process holds, for a process that only waits for that one: reports when its heartbeat
// has stopped. One thread.
class HeartbeatWatch {
 public:
  explicit HeartbeatWatch(const std::string& folder) : file_(folder, {}) {}

  // Returns a change: the holder has not beaten for kSilence, or beats again. Returns nothing otherwise, also if there
  // is no lease or it cannot be read. now: since an arbitrary moment.
  std::optional<std::string> look(std::chrono::milliseconds now);

 private:
  LeaseFile file_;  // only read
  LeaseRules rules_{LeaseRecord{}};
  std::string holder_;  // the holder's token
  bool silent_ = false;
};

}  // namespace lockstep

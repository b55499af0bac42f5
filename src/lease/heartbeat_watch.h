#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "lease/file.h"
#include "lease/rules.h"

namespace lockstep {

// Looks at the lease of a folder that another process holds, for one that only waits for that process: says when its
// heartbeat has stopped. One thread.
class HeartbeatWatch {
 public:
  explicit HeartbeatWatch(const std::string& folder) : file_(folder, {}) {}

  // The change by now: the holder that has not beaten for kSilence, or that beats again. Nothing else, also where
  // no lease is there or none can be read. now: since any moment.
  std::optional<std::string> look(std::chrono::milliseconds now);

 private:
  LeaseFile file_;  // only read
  LeaseRules rules_{LeaseRecord{}};
  std::string holder_;  // its token
  bool silent_ = false;
};

}  // namespace lockstep

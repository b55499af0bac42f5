#pragma once

#include "base/error.h"

namespace lockstep {

// Another rank's process has ended without a message: most likely it was killed. The message names it; a caller that
// knows the job may add what to do next.
class PeerEnded : public Error {
 public:
  explicit PeerEnded(const std::string& message) : Error(ExitCode::internal, message) {}
};

}  // namespace lockstep

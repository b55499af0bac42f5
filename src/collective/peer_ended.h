#pragma once

#include "base/error.h"

namespace lockstep {

// Another rank's process has ended without a word: killed, most likely. The message names it; what the job can do next,
// whoever knows the job may add.
class PeerEnded : public Error {
 public:
  explicit PeerEnded(const std::string& message) : Error(ExitCode::internal, message) {}
};

}  // namespace lockstep

#pragma once

#include <exception>

#include "collective/communicator.h"

namespace lockstep {

// Abandons a communicator when an exception leaves the block. Make it after the GPU memory and streams of the block:
// destroying them waits for the operations that use them, which may wait for a peer that never comes. The communicator
// outlives it; one thread.
class AbandonGuard {
 public:
  explicit AbandonGuard(Communicator& communicator) : communicator_(communicator) {}
  ~AbandonGuard() {
    if (std::uncaught_exceptions() > exceptions_) communicator_.abandon();
  }
  AbandonGuard(const AbandonGuard&) = delete;
  AbandonGuard& operator=(const AbandonGuard&) = delete;

 private:
  Communicator& communicator_;
  int exceptions_ = std::uncaught_exceptions();
};

}  // namespace lockstep

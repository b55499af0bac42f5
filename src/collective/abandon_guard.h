#pragma once

#include <exception>

#include "collective/communicator.h"

namespace lockstep {

// Abandons a communicator where an exception leaves the block, before what was made earlier in it is destroyed: memory
// and streams of a GPU wait for the operations that use them, which may wait for a peer that does not come. So it is
// made after them. The communicator outlives it; one thread.
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

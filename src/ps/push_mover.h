#pragma once

#include <atomic>
#include <cstdint>

#include "base/worker_thread.h"
#include "ps/client.h"

namespace lockstep {

// Moves the pushes of a client on by a second thread while the client's own thread computes. Messages need it: a large
// one moves on only while its sender is inside the library. The client outlives it.
class PushMover {
 public:
  explicit PushMover(ParameterClient& client) : client_(client) {}
  ~PushMover() { stop_ = true; }

  // From now until end() returns, the second thread alone uses the client.
  void begin();
  // Does nothing without a begin(). Throws what the second thread has thrown.
  void end();

 private:
  ParameterClient& client_;
  std::atomic<bool> stop_ = false;
  std::uint64_t moving_ = 0;  // the thread's operation
  WorkerThread thread_;       // last: it uses the others until it has ended
};

}  // namespace lockstep

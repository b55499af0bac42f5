#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "base/trace.h"
#include "collective/communicator.h"

namespace lockstep {

class ThreadGroup;

// Ranks as threads of one process: the world that unit tests run in, without mpirun.
//
// All waits have a time-out, and all of them end when one rank gives up (poison). After a time-out the error names the
// operation and the ranks that did not come. Ranks that call different operations, or with different sizes, get an
// error instead of mixing their data.
//
// Any thread may call. Communicators share the state they need, so the world may be destroyed before them.
class ThreadWorld {
 public:
  static constexpr std::chrono::seconds kTimeout{60};

  explicit ThreadWorld(int size, std::chrono::milliseconds timeout = kTimeout);

  int size() const { return size_; }

  // Returns the communicator of one rank, for that rank's thread. Once per rank. The Trace must outlive it.
  std::unique_ptr<Communicator> communicator(int rank, Trace& trace);

  // Every wait of every rank, now and later, throws Error(internal) with this message; the first call decides.
  void poison(const std::string& message) noexcept;
  std::string poison_message() const;  // "": not poisoned

 private:
  int size_;
  std::shared_ptr<ThreadGroup> group_;
};

}  // namespace lockstep

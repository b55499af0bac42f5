#pragma once

#include <array>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <stop_token>
#include <thread>

#include "base/trace.h"
#include "tensor/cuda/gpu_runtime.h"

namespace lockstep {

// A stream's operations that may not be done. Each is marked in the Trace until it is, and until then a thread looks
// now and then whether all is well: the rank's own thread may be waiting for the GPU, and would never learn that an
// operation cannot come to its end.
//
// add() and event() from one thread at a time.
class NcclOperations {
 public:
  // healthy: called by the thread while operations are under way; once it says no, it is not called again.
  NcclOperations(int gpu, GpuStream stream, std::function<bool()> healthy);
  ~NcclOperations();  // local; marks end here, whatever becomes of the operations
  NcclOperations(const NcclOperations&) = delete;
  NcclOperations& operator=(const NcclOperations&) = delete;

  // The operation that the stream was given last. Its number, from 1.
  std::uint64_t add(Trace::OperationScope mark);
  // Passes when the operation is done, or later: there are kEvents of them, used in turn. REQUIRES: add() gave number.
  Event event(std::uint64_t number) const { return events_[number % kEvents]; }

 private:
  static constexpr std::size_t kEvents = 256;

  struct UnderWay {
    Event event;
    Trace::OperationScope mark;
  };

  void look(const std::stop_token& stop);

  int gpu_;
  GpuStream stream_;
  std::function<bool()> healthy_;
  std::array<Event, kEvents> events_{};  // made when first used
  std::uint64_t added_ = 0;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<UnderWay> under_way_;  // guarded by mutex_
  std::jthread thread_;             // last: it uses the others until it has ended
};

}  // namespace lockstep

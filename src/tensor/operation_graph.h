#pragma once

#include <cstdint>

namespace lockstep {

// Operations that a device gets as one piece of work, with shorter gaps between them than when they are submitted one
// by one: a CUDA graph. What the Backend is given between begin() and launch() does not run before launch(). It is
// captured anew each time, so that nothing of an earlier time stays in it; where it differs from the time before in
// addresses, sizes and numbers only, the device's graph is updated, else it is made anew, which takes longer.
//
// From begin() to launch() the host does not wait for the device; host memory that is copied from or to is that of
// Backend::host_allocator(), and is read when the graph runs. Streams of this device take part that wait for events
// recorded since begin(), if the Backend waits for the last of theirs; events from before are waited for before. An
// event recorded in between stands for the end of the graph once that is launched. Memory may be allocated and freed.
//
// A Backend has one graph begun at a time. The Backend that made it (Backend::make_graph()) outlives it, and is used by
// the same thread.
class OperationGraph {
 public:
  virtual ~OperationGraph() = default;

  virtual void begin() = 0;
  // Where it throws, the operations have not run and never will.
  virtual void launch() = 0;
  // How often the device's graph was made, the first time included.
  virtual std::int64_t made() const = 0;
};

}  // namespace lockstep

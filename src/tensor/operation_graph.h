#pragma once

#include <cstdint>

namespace lockstep {

// Operations that a device gets as one piece of work, with shorter gaps between them than when they are submitted one
// by one: a CUDA graph. Operations given to the Backend between begin() and launch() do not run before launch(). They
// are captured anew each time, so that nothing of an earlier time stays in the graph; if they differ from the time
// before in addresses, sizes and numbers only, the device's graph is updated, else it is made anew, which takes longer.
//
// From begin() to launch() the host does not wait for the device; host memory that is copied from or to is that of
// Backend::host_allocator(), and is read when the graph runs. Streams of this device that wait for events recorded
// since begin() take part, if the Backend waits for the last of their events; events from before must be waited for
// before. An event recorded in between stands for the end of the graph once that is launched. Memory may be allocated
// and freed.
//
// A Backend has one graph begun at a time. The Backend that made it (Backend::make_graph()) outlives it, and is used by
// the same thread.
class OperationGraph {
 public:
  virtual ~OperationGraph() = default;

  virtual void begin() = 0;
  // If it throws, the operations have not run and never will.
  virtual void launch() = 0;
  // The number of times the device's graph was made, including the first.
  virtual std::int64_t made() const = 0;
};

}  // namespace lockstep

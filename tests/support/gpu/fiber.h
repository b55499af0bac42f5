#pragma once

#include <cstddef>
#include <memory>

// A thread of control of its own on a stack of its own, which runs while the thread that resumes it stands still.
namespace lockstep::gpu_stand_in {

class Fiber {
 public:
  Fiber();
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  // Makes the fiber call body(argument) at its next resume(). What it was doing before is forgotten, without unwinding.
  void start(void (*body)(void*), void* argument);
  // Runs it until it suspends itself (true) or body has returned (false). body lets no exception out.
  bool resume();
  // Called by the fiber: goes back to who resumed it.
  void suspend();

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace lockstep::gpu_stand_in

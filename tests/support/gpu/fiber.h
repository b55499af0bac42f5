#pragma once

#include <cstddef>
#include <memory>

// A thread of control with a stack of its own, which runs while the thread that resumes it is suspended.
namespace lockstep::gpu_stand_in {

class Fiber {
 public:
  Fiber();
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  // Makes the fiber call body(argument) at its next resume(). Its former call is dropped without unwinding.
  void start(void (*body)(void*), void* argument);
  // Runs the fiber until it suspends itself (true) or body has returned (false). body must not throw.
  bool resume();
  // Called by the fiber: returns to the caller of resume().
  void suspend();

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace lockstep::gpu_stand_in

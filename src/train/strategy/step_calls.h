#pragma once

#include "tensor/flat_range.h"

namespace lockstep {

// Checks the calls of one step of a Strategy: a user who writes a training loop and leaves a call out is told which,
// rather than what went wrong after it. Throws Error(internal). One thread.
class StepCalls {
 public:
  explicit StepCalls(int shares) : shares_(shares) {}

  void begin();
  // Returns whether this share is the last of the step.
  bool add_share();
  // Returns the share whose gradients these are.
  int gradients(FlatRange range);
  void finish();

 private:
  int shares_;
  int added_ = 0;
  bool begun_ = false;
  bool complete_ = true;  // the backward pass of the share added last has come to the start of the store
};

}  // namespace lockstep

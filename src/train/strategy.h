#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "collective/control_values.h"
#include "tensor/flat_range.h"

namespace lockstep {

// What a step came to.
struct StepResult {
  ControlValues sums;        // over all ranks, or this rank's own if local
  double gradient_norm = 0;  // of the mean gradient that was applied
  bool local = false;        // true: this replica's own loss; replicas differ until the next meeting
};

// How replicas of one model agree: the only place that knows when something is exchanged. Works on flat ranges of a
// ParameterStore, knows no layer and no file.
//
// A step, on every rank: begin_step(); for each share of the batch this rank has (shares(), in order) add_share()
// with the sums of its forward pass, then a backward pass that calls on_gradient_ready() from the end of the store to
// its start; finish_step(). COLLECTIVE: all but the constructor and destructor. One thread.
class Strategy {
 public:
  virtual ~Strategy() = default;

  // Gives every replica the chief's initial values.
  virtual void start() = 0;

  virtual int shares() const = 0;
  virtual void begin_step(std::int64_t step) = 0;
  // Loss and weight of this rank's share, and whether it asks to stop; before the share's first range is ready.
  virtual void add_share(const ControlValues& share) = 0;
  virtual void on_gradient_ready(FlatRange range) = 0;
  // Waits for what is under way, divides by the global weight, applies the optimizer.
  // Throws Error(internal) naming tensor and step if loss or gradient is not finite.
  virtual StepResult finish_step(double learning_rate) = 0;

  // Whether replicas are equal after the step that finish_step() just ended; meet() makes them so.
  virtual bool agreed() const = 0;
  virtual void meet() = 0;
};

}  // namespace lockstep

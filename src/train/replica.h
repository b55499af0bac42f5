#pragma once

#include <cstdint>
#include <vector>

#include "base/error.h"
#include "collective/communicator.h"
#include "collective/control_values.h"
#include "model/parameter_store.h"
#include "optim/optimizer.h"
#include "tensor/backend.h"

namespace lockstep {

// One rank's copy of a model and of its optimizer's state. Everything it refers to is the caller's and outlives it.
class Replica {
 public:
  Replica(Backend& backend, const ParameterStore& parameters, const Optimizer& optimizer);

  Backend& backend() const { return backend_; }
  const ParameterStore& parameters() const { return parameters_; }

  // Takes the chief's values. COLLECTIVE.
  void start_from_chief(Communicator& communicator) const;

  // The words in front of the gradients, where the control values travel. REQUIRES: a store with that headroom.
  void write_control(const ControlValues& values) const;
  ControlValues read_control() const;

  // Divides the gradients by the weight they were summed over and applies the optimizer. Returns the norm of the mean
  // gradient. Throws Error(internal) naming step and tensor if loss or gradient is not finite; scope: whether the sums
  // are those of all ranks.
  double update(std::int64_t step, double learning_rate, const ControlValues& sums, Scope scope);

 private:
  Backend& backend_;
  const ParameterStore& parameters_;
  const Optimizer& optimizer_;
  std::vector<Buffer> slots_;
  std::vector<Tensor> slot_views_;
};

}  // namespace lockstep

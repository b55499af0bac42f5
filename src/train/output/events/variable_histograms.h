#pragma once

#include <cstdint>
#include <vector>

#include "model/parameter_store.h"
#include "tensor/backend.h"
#include "train/output/events/event_file.h"

namespace lockstep {

// Histograms of each variable's values, "parameters/NAME", and of its gradient, "gradients/NAME", in an event file
// every so many steps. The chief's, whose replica they are of; the other ranks meet it at the next exchange as much
// later as this takes. Everything it refers to is the caller's and outlives it. Main thread only.
class VariableHistograms {
 public:
  // every: steps, at least 1.
  VariableHistograms(Backend& backend, const ParameterStore& parameters, EventFile& file, std::int64_t every);

  // After Strategy::finish_step(). gradient_factor (StepResult) makes of the gradients in the store what the optimizer
  // was given: the gradient of the mean loss over the batch, clipped. Constants of the model have none. Throws
  // Error(cannot_write).
  void after_step(std::int64_t step, double gradient_factor);

 private:
  // Of factor * tensor.
  Histogram histogram_of_tensor(const Tensor& tensor, double factor);

  Backend& backend_;
  const ParameterStore& parameters_;
  EventFile& file_;
  std::int64_t every_;
  std::vector<float> host_;  // a copy of one variable
};

}  // namespace lockstep

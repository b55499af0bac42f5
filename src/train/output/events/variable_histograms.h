#pragma once

#include <cstdint>
#include <vector>

#include "model/parameter_store.h"
#include "tensor/backend.h"
#include "train/output/events/event_file.h"

namespace lockstep {

// Histograms of each variable's values, "parameters/NAME", and of its gradient, "gradients/NAME", in an event file
// every `every` steps. The chief draws them of its replica; the other ranks wait for that at the next exchange.
// Everything it refers to is the caller's and outlives it. Main thread only.
class VariableHistograms {
 public:
  // every: steps, at least 1.
  VariableHistograms(Backend& backend, const ParameterStore& parameters, EventFile& file, std::int64_t every);

  // To be called after Strategy::finish_step(). gradient_factor (StepResult) turns the gradients in the store into
  // those that the optimizer was given: the gradient of the mean loss over the batch, clipped. Constants of the model
  // have no gradient. Throws Error(cannot_write).
  void after_step(std::int64_t step, double gradient_factor);

 private:
  // The histogram of factor * tensor.
  Histogram histogram_of_tensor(const Tensor& tensor, double factor);

  Backend& backend_;
  const ParameterStore& parameters_;
  EventFile& file_;
  std::int64_t every_;
  std::vector<float> host_;  // a copy of one variable
};

}  // namespace lockstep

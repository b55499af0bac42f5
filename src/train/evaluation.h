#pragma once

#include <cstdint>

#include "collective/communicator.h"
#include "data/problem.h"
#include "model/model.h"
#include "tensor/backend.h"

namespace lockstep {

// What a model is worth on a split.
struct EvaluationResult {
  std::int64_t samples = 0;
  std::int64_t correct = 0;  // right predictions, of a class_label problem
  double loss = 0;           // mean over the samples

  double accuracy() const { return samples == 0 ? 0 : static_cast<double>(correct) / static_cast<double>(samples); }
};

// Evaluates the whole split, each sample on one rank. COLLECTIVE; every rank gets the result.
//
// The split is cut into chunks of a fixed size, each computed alone, and chunk results are added as integers (the loss
// in fixed point, 2^-24), so the same parameters give the same result, to the last bit, for any number of ranks. A loss
// that is not finite is an Error(internal).
class Evaluation {
 public:
  Evaluation(Communicator& communicator, Backend& backend, const Problem& problem, Model& model,
             const ParameterStore& parameters);

  EvaluationResult run(Split split);

 private:
  Communicator& communicator_;
  Backend& backend_;
  const Problem& problem_;
  Model& model_;
  const ParameterStore& parameters_;
  HostAllocator host_;
};

}  // namespace lockstep

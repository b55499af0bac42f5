#pragma once

#include <cstdint>
#include <limits>

#include "collective/communicator.h"
#include "data/problem.h"
#include "model/model.h"
#include "tensor/backend.h"

namespace lockstep {

// What a model is worth on a split.
struct EvaluationResult {
  std::int64_t samples = 0;
  double loss = 0;  // mean over the samples, as are the other means

  // Of class labels.
  std::int64_t correct = 0;  // the most likely class is the label
  std::int64_t in_top5 = 0;  // the label is among the five most likely classes
  // Of real targets.
  double mean_squared_error = 0;
  double mean_absolute_error = 0;

  double accuracy() const { return share(correct); }
  double top5_accuracy() const { return share(in_top5); }

 private:
  double share(std::int64_t count) const {
    return samples == 0 ? 0 : static_cast<double>(count) / static_cast<double>(samples);
  }
};

// Evaluates a split, each sample on one rank. COLLECTIVE; every rank gets the result.
//
// The split is cut into chunks of a size that the sample's shape decides, each computed alone, and chunk results are
// added as integers (losses and errors in fixed point, 2^-24), so the same parameters give the same result, to the last
// bit, for any number of ranks. A loss that is not finite is an Error(internal).
class Evaluation {
 public:
  Evaluation(Communicator& communicator, Backend& backend, const Problem& problem, Model& model,
             const ParameterStore& parameters);

  // The split's first `samples` samples, or all it has.
  EvaluationResult run(Split split, std::int64_t samples = std::numeric_limits<std::int64_t>::max());

 private:
  Communicator& communicator_;
  Backend& backend_;
  const Problem& problem_;
  Model& model_;
  const ParameterStore& parameters_;
  HostAllocator host_;
};

}  // namespace lockstep

#pragma once

#include <string>
#include <vector>

#include "model/parameter_store.h"
#include "tensor/backend.h"

namespace lockstep {

// The norm of a store's gradients, over fixed chunks of kSquaresChunk elements: each chunk's squares are summed in
// double precision and a fixed order, then the chunks in the order of the store. So the bits are the same for any
// number of ranks, buckets and owners. Chunks are counted from the start of the store, or, for an optimizer whose
// updates must not cut a variable, from the start of each variable. Store and Backend outlive it.
class GradientNorm {
 public:
  GradientNorm(Backend& backend, const ParameterStore& parameters, bool sliceable);

  // Reads the gradients once. Infinite or NaN exactly if one of them is.
  double norm();
  // The variable that has one which is not finite. REQUIRES: norm() was not.
  std::string not_finite() const;

 private:
  Backend& backend_;
  const ParameterStore& parameters_;
  std::vector<FlatRange> ranges_;  // each is cut into chunks from its start
  Buffer memory_;
  Tensor sums_;               // a chunk each
  std::vector<double> host_;  // a copy of them
};

}  // namespace lockstep

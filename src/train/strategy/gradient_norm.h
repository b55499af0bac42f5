#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "collective/communicator.h"
#include "model/parameter_store.h"
#include "tensor/backend.h"

namespace lockstep {

// The norm of a store's gradients, over fixed chunks of kSquaresChunk elements: each chunk's squares are summed in
// double precision and a fixed order, then the chunks in the order of the store. So the bits are the same for any
// number of ranks, buckets and owners. Chunks are counted from the start of the store, or, for an optimizer whose
// updates must not cut a variable, from the start of each variable. All it refers to outlives it.
class GradientNorm {
 public:
  // This rank has all gradients.
  GradientNorm(Backend& backend, const ParameterStore& parameters, bool sliceable);
  // This rank has those of owned[rank] only: ranks exchange the sums of their chunks. Ranges begin where chunks do.
  // COLLECTIVE, norm() and not_finite() too.
  GradientNorm(Backend& backend, const ParameterStore& parameters, bool sliceable, Communicator& communicator,
               std::span<const std::vector<FlatRange>> owned);

  // Reads the gradients once. Infinite or NaN exactly if one of them is.
  double norm();
  // The variable that has the first one which is not finite. REQUIRES: norm() was not.
  std::string not_finite() const;

 private:
  void add_rank(const std::vector<FlatRange>& ranges);
  void allocate(Allocator& allocator);

  Backend& backend_;
  const ParameterStore& parameters_;
  Communicator* communicator_ = nullptr;  // null: nothing is exchanged
  std::vector<FlatRange> ranges_;         // this rank's: each is cut into chunks from its start
  std::vector<std::int64_t> starts_;      // of the chunks of all ranks, rank after rank
  std::vector<FlatRange> slices_;         // of these, each rank's
  std::vector<std::size_t> order_;        // in which they lie in the store
  Buffer memory_;
  Tensor sums_;               // a chunk each
  std::vector<double> host_;  // a copy of them
};

}  // namespace lockstep

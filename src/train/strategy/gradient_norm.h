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
  // COLLECTIVE, norm() and not_finite() too. trace: the exchange is marked in it.
  GradientNorm(Backend& backend, const ParameterStore& parameters, bool sliceable, Communicator& communicator,
               Trace& trace, std::span<const std::vector<FlatRange>> owned);

  // What this rank has of the gradients from `begin` to the end of the store is final: reads it now, while it is in the
  // processor's cache, and norm() does not again. In a step from the end of the store on.
  void add_from(std::int64_t begin);
  // Reads what add_from() has not. Infinite or NaN exactly if one of the gradients is. The next step begins.
  double norm();
  // The same without waiting on the host: Backend::clip_factor() of the norm times `scale`, against `most`, into
  // result.
  void start(double scale, double most, const Tensor& result);
  // The next step begins, without a norm of this one.
  void restart() { left_ = std::ssize(chunks_); }
  // The variable that has the first one which is not finite. REQUIRES: norm() was not.
  std::string not_finite() const;

 private:
  void add_rank(const std::vector<FlatRange>& ranges, bool own);
  void allocate(Allocator& allocator);
  void put_order_on_device();
  void exchange();

  Backend& backend_;
  const ParameterStore& parameters_;
  Communicator* communicator_ = nullptr;  // null: nothing is exchanged
  Trace* trace_ = nullptr;                // with communicator_
  std::vector<FlatRange> chunks_;         // this rank's, in the order of the store
  std::int64_t left_ = 0;                 // of these, how many from the first on are not summed
  std::vector<std::int64_t> starts_;      // of the chunks of all ranks, rank after rank
  std::vector<FlatRange> slices_;         // of these, each rank's
  std::int64_t first_ = 0;                // of these, this rank's first
  std::vector<std::size_t> order_;        // in which they lie in the store
  Buffer memory_;
  Tensor sums_;  // a chunk each
  Buffer order_memory_;
  Tensor order_on_device_;    // order_, unless that is the host
  std::vector<double> host_;  // a copy of them
};

}  // namespace lockstep

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
  // COLLECTIVE, as are norm(), start() and not_finite(). trace: the exchange is marked in it.
  GradientNorm(Backend& backend, const ParameterStore& parameters, bool sliceable, Communicator& communicator,
               Trace& trace, std::span<const std::vector<FlatRange>> owned);

  // To be called when this rank's gradients from `begin` to the end of the store are final: reads them now, while they
  // are in the processor's cache, and norm() does not read them again. In a step, `begin` goes from the end of the
  // store to its start.
  void add_from(std::int64_t begin);
  // Reads the gradients that add_from() has not, and returns the norm: infinite or NaN exactly if one of the gradients
  // is. The next step begins.
  double norm();
  // Does the same without waiting on the host: puts Backend::clip_factor() of the norm times `scale`, against `most`,
  // into result.
  void start(double scale, double most, const Tensor& result);
  // Begins the next step without a norm of this one.
  void restart() { left_ = std::ssize(chunks_); }
  // The name of the variable with the first gradient that is not finite. REQUIRES: norm() was not finite.
  std::string not_finite() const;

 private:
  void add_rank(const std::vector<FlatRange>& ranges, bool own);
  void allocate(Allocator& allocator);
  void put_order_on_device();
  void exchange();

  Backend& backend_;
  const ParameterStore& parameters_;
  Communicator* communicator_ = nullptr;  // null: nothing is exchanged
  Trace* trace_ = nullptr;                // null if communicator_ is
  std::vector<FlatRange> chunks_;         // this rank's chunks, in the order of the store
  std::int64_t left_ = 0;                 // number of chunks_, from the first on, that are not summed
  std::vector<std::int64_t> starts_;      // starts of the chunks of all ranks, rank after rank
  std::vector<FlatRange> slices_;         // each rank's part of starts_
  std::int64_t first_ = 0;                // this rank's first chunk in starts_
  std::vector<std::size_t> order_;        // indices of starts_ in the order of the store
  Buffer memory_;
  Tensor sums_;  // sums of the chunks of all ranks, as in starts_
  Buffer order_memory_;
  Tensor order_on_device_;    // order_, if the backend is a device
  std::vector<double> host_;  // a copy of sums_
};

}  // namespace lockstep

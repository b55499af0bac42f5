#pragma once

#include <functional>
#include <span>

#include "collective/communicator.h"
#include "collective/tree_plan.h"
#include "tensor/tensor.h"

namespace lockstep {

// The tree all-reduce of --exact, built on an exchange of pieces only.
//
// With P ranks, the result is cut into P slices of neighbouring elements. (1) Each rank gets its slice of all parts of
// all ranks; (2) it adds them up in the order that the plan fixes; (3) the finished slices go to all ranks. So the sum
// of an element is one fixed sequence of roundings, no matter which rank computes it.
// Bytes that a rank sends for S bytes of values: (1) parts * S * (P-1)/P, (2) none, (3) S * (P-1)/P.
//
// Keeps the memory of the largest call for the next one. COLLECTIVE: run(); one thread at a time.
class TreeAllReduce {
 public:
  using Exchange = std::function<void(std::span<const SendPiece>, std::span<const ReceivePiece>)>;

  // As Communicator::tree_all_reduce, on host memory, on rank `rank` of the plan.
  void run(int rank, const TreePlan& plan, std::span<const Tensor> parts, const Tensor& result,
           const Exchange& exchange);

 private:
  HostAllocator allocator_;
  Buffer received_;  // the other ranks' parts of this rank's slice
};

}  // namespace lockstep

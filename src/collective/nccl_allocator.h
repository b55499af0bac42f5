#pragma once

#include <memory>

#include "collective/nccl_rank.h"
#include "tensor/allocator.h"

namespace lockstep {

// Memory of a GPU that NCCL works on without a copy of its own, registered with the communicator; where there is none
// of that kind, of the Backend's allocator. Zeroed. allocate() is COLLECTIVE. Buffers may be freed on any thread, and
// outlive it; freeing is local, and waits for the work that the GPU was given before.
class NcclAllocator final : public Allocator {
 public:
  // ranks: of the communicator; plain outlives it.
  NcclAllocator(std::shared_ptr<NcclRank> rank, int ranks, Allocator& plain)
      : rank_(std::move(rank)), ranks_(ranks), plain_(plain) {}

  Device device() const override { return plain_.device(); }
  Buffer allocate(std::size_t bytes) override;

 private:
  std::shared_ptr<NcclRank> rank_;
  int ranks_;
  Allocator& plain_;
};

}  // namespace lockstep

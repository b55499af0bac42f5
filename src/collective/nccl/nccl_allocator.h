#pragma once

#include <memory>

#include "collective/nccl/nccl_rank.h"
#include "tensor/allocator.h"

namespace lockstep {

// Memory of a GPU that NCCL works on without a copy of its own, registered with the communicator; if a rank has none of
// that kind, and below 64 KiB, memory of the Backend's allocator. Zeroed. allocate() is COLLECTIVE. Buffers may be
// freed on any thread, and outlive the allocator; freeing is local, and waits for the work that the GPU was given
// before.
class NcclAllocator final : public Allocator {
 public:
  // group: the same ranks. It and plain outlive this.
  NcclAllocator(std::shared_ptr<NcclRank> rank, Communicator& group, Allocator& plain)
      : rank_(std::move(rank)), group_(group), plain_(plain) {}

  Device device() const override { return plain_.device(); }
  Buffer allocate(std::size_t bytes) override;

 private:
  Buffer allocate_unregistered(std::size_t bytes);  // empty: there is no memory of that kind

  std::shared_ptr<NcclRank> rank_;
  Communicator& group_;
  Allocator& plain_;
};

}  // namespace lockstep

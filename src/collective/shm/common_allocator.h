#pragma once

#include "collective/shm/meeting.h"
#include "collective/shm/shared_memory.h"
#include "tensor/allocator.h"

namespace lockstep {

// Memory that the ranks of a group have as one copy: the group's rank 0 makes a piece, and all map it. A Buffer is
// freed locally: the piece goes with the last rank's Buffer. Buffers may outlive the allocator.
//
// COLLECTIVE: allocate(), with the same size on every rank. Errors, on all ranks: OutOfMemory or Error(configuration)
// if one has no room or cannot open the piece, Error(internal) if they ask for different sizes.
class CommonAllocator final : public Allocator {
 public:
  // meeting must outlive it.
  CommonAllocator(Meeting& meeting, Sharing sharing) : meeting_(meeting), sharing_(sharing) {}

  Device device() const override { return {}; }
  bool is_common() const override { return true; }
  Buffer allocate(std::size_t bytes) override;

 private:
  Meeting& meeting_;
  Sharing sharing_;
};

}  // namespace lockstep

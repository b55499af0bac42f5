#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "collective/shm/meeting.h"
#include "collective/shm/shared_memory.h"
#include "collective/shm/shared_regions.h"
#include "tensor/allocator.h"

namespace lockstep {

// Throws Error(internal) on all ranks unless all of them allocate the same number of bytes with the same owner: a rank,
// or -1 if each has its own. COLLECTIVE.
void meet_to_allocate(Meeting& meeting, std::size_t bytes, int owner = -1);

// Memory of this rank that the others of its group read and write in place. A Buffer is freed locally: then this rank
// no longer sees the region, and the others keep theirs. Buffers may outlive the allocator.
//
// COLLECTIVE: allocate(), with the same size on every rank. Errors, on all ranks: OutOfMemory or Error(configuration)
// if one has no room, Error(internal) if they ask for different sizes.
class SharedAllocator final : public Allocator {
 public:
  struct Place {
    Sharing sharing;
    std::uint32_t group;       // numbers of its regions begin with it
    std::vector<int> members;  // the ranks of the group, as SharedRegions counts them
    std::shared_ptr<SharedRegions> regions;
  };
  // meeting must outlive it.
  SharedAllocator(Meeting& meeting, Place place);

  Device device() const override { return {}; }
  Buffer allocate(std::size_t bytes) override;

 private:
  Meeting& meeting_;
  Place place_;
  std::uint32_t allocated_ = 0;
};

}  // namespace lockstep

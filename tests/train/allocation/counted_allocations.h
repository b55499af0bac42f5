#pragma once

#include <cstdint>

namespace lockstep {

// Heap allocations of the thread that called start_counting(), by malloc and its relatives or operator new, by the
// calling library, which follows from the call's return address.
struct AllocationCounts {
  std::int64_t ours = 0;    // from everywhere else: liblockstep, the test, and libstdc++ on their behalf
  std::int64_t onednn = 0;  // from libdnnl
  std::int64_t mpi = 0;     // from Open MPI's libraries and plug-ins

  bool operator==(const AllocationCounts&) const = default;
};

// Counts on the calling thread only. The binary that links counted_allocations.cc has its own malloc and operator new.
void start_counting();
AllocationCounts stop_counting();

}  // namespace lockstep

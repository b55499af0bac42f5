#pragma once

#include <cstdint>

namespace lockstep {

// What the thread that called start_counting() has asked of the heap since, by malloc and its relatives or by operator
// new, by the library whose code called: the return address of the call says whose.
struct AllocationCounts {
  std::int64_t ours = 0;    // from everywhere else: liblockstep, the test, what libstdc++ did for them
  std::int64_t onednn = 0;  // from libdnnl
  std::int64_t mpi = 0;     // from Open MPI's libraries and plug-ins

  bool operator==(const AllocationCounts&) const = default;
};

// Counts on the calling thread only. The binary that links counted_allocations.cc has its own malloc and operator new.
void start_counting();
AllocationCounts stop_counting();

}  // namespace lockstep

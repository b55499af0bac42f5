#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>

namespace lockstep {

// What a rank is about to take of the host's shared memory, and what its control groups allow (base/cgroup_memory.h).
// A plain value that goes to other processes of the host as bytes.
struct MemoryNeed {
  struct Group {
    std::uint64_t id = 0;  // the same number in all ranks of one group; 0: none
    std::uint64_t limit = 0;
    std::uint64_t free = 0;
  };
  std::uint64_t bytes = 0;
  std::array<Group, 8> groups{};  // those that have a limit, the innermost first
};

// This process's. Local; reads a few small files.
MemoryNeed memory_need(std::uint64_t bytes);

// Why the ranks of a control group do not get what they are about to take together; "" if they do. The system itself
// would not refuse it: it would end a rank that uses the memory. needs: of all ranks, before any of them has taken its
// memory. job_ranks: what messages call them. Pure.
std::string lacks_memory(std::span<const MemoryNeed> needs, std::span<const int> job_ranks);

}  // namespace lockstep

#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>

namespace lockstep {

// The bytes of the host's shared memory that a rank is about to take, and the limits of its control groups
// (base/cgroup_memory.h). A plain value that goes to other processes of the host as bytes.
struct MemoryNeed {
  struct Group {
    std::uint64_t id = 0;  // the same number in all ranks of one group; 0: none
    std::uint64_t limit = 0;
    std::uint64_t free = 0;
  };
  std::uint64_t bytes = 0;
  std::array<Group, 8> groups{};  // those that have a limit, the innermost first
};

// This process's need. Local; reads a few small files.
MemoryNeed memory_need(std::uint64_t bytes);

// The reason why the ranks of a control group cannot take their memory together; "" if they can. The system itself
// would not refuse it: it would end a rank that uses the memory. needs: of all ranks, before any of them has taken its
// memory. job_ranks: their numbers in messages. Pure.
std::string lacks_memory(std::span<const MemoryNeed> needs, std::span<const int> job_ranks);

}  // namespace lockstep

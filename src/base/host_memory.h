#pragma once

#include <cstdint>
#include <string>

namespace lockstep {

// Memory for this process and others: the host's, or what control groups allow if that is less (base/cgroup_memory.h).
// 0: unknown.
struct HostMemory {
  std::uint64_t total = 0;  // bytes, with the swap space that may be used
  std::uint64_t free = 0;   // bytes, with what the kernel can reclaim for programs
  bool of_cgroup = false;   // a control group limits the total
};

// Reads a few small files. root: prefix of their paths, "" except in tests. Local; any thread.
HostMemory host_memory(const std::string& root = "");

}  // namespace lockstep

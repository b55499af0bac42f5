#pragma once

#include <cstdint>
#include <string>

namespace lockstep {

// How much memory there is for this process and others: of the host, or where control groups allow less
// (base/cgroup_memory.h), that. 0: not known.
struct HostMemory {
  std::uint64_t total = 0;  // bytes, with the swap space that may be used
  std::uint64_t free = 0;   // without what the kernel would give up for programs
  bool of_cgroup = false;   // the total is what a control group allows
};

// root: where the files lie, "" but in tests. Local; any thread; reads a few small files.
HostMemory host_memory(const std::string& root = "");

}  // namespace lockstep

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// Memory that the control groups (cgroups(7)) of this process leave to it. When none is left, an allocation still
// succeeds, and the kernel kills a process of the group when the memory is used.
namespace lockstep {

struct CgroupMemory {
  std::uint64_t id = 0;     // the group's number: the same for all processes of the host that it limits, and unique
  std::uint64_t limit = 0;  // bytes
  std::uint64_t used = 0;   // bytes, without what the kernel can reclaim: file pages and reclaimable slab

  std::uint64_t free() const { return limit > used ? limit - used : 0; }
};

// The groups of this process that have a limit, its own and its ancestors, of version 2 or version 1, innermost first.
// Empty if no group has a limit, or if they cannot be seen. root: prefix of all paths, "" except in tests. Looks at the
// usual places under /sys/fs/cgroup. Local; any thread; reads a handful of small files.
std::vector<CgroupMemory> limited_cgroups(const std::string& root = "");

// The swap space, in bytes, that the groups allow besides their memory: the least of their limits, used or not. Nothing
// if no group limits it, or if the kernel does not count it. root as above. Local; any thread; reads a handful of small
// files.
std::optional<std::uint64_t> cgroup_swap(const std::string& root = "");

// The parts of the above that read no files:

// The folders of this process's groups in the memory controller's hierarchy, each before its parent, from the text of
// /proc/self/cgroup. Version 1 if the text has its memory controller, as version 2 has none then.
struct CgroupFolders {
  int version = 2;
  std::vector<std::string> folders;  // "/jobs/7", "/jobs", ""
};
CgroupFolders cgroup_folders(std::string_view proc_self_cgroup);
// The limit in the text of a file such as memory.max or memory.limit_in_bytes. Nothing for "max", for version 1's
// number that means no limit, and for text that is not a number.
std::optional<std::uint64_t> cgroup_limit(std::string_view text);
// The value of a line of memory.stat, 0 if there is none.
std::uint64_t cgroup_stat(std::string_view stat, std::string_view name);

}  // namespace lockstep

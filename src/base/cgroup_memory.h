#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// How much memory the control groups (cgroups(7)) that this process is in leave it. Where they leave none, taking
// memory still succeeds, and the kernel ends a process of the group when it uses it.
namespace lockstep {

struct CgroupMemory {
  std::uint64_t id = 0;     // of the group, the same for all processes of the host that it limits, and no other's
  std::uint64_t limit = 0;  // bytes
  std::uint64_t used = 0;   // bytes, without what the kernel would give up for others: pages and names of files

  std::uint64_t free() const { return limit > used ? limit - used : 0; }
};

// The groups that this process is in and that have a limit: its own and those around it, of version 2 or of version 1,
// the innermost first. None: no group has one, or they cannot be seen. root: where the files lie, "" but in tests.
// Looks at the usual places under /sys/fs/cgroup. Local; any thread; reads a handful of small files.
std::vector<CgroupMemory> limited_cgroups(const std::string& root = "");

// The most swap space that they leave this process beside that memory, the least of any of them; none: no group limits
// it, or the kernel does not count it. Likewise.
std::optional<std::uint64_t> cgroup_swap(const std::string& root = "");

// The parts of that which read no files.

// Where the memory controllers' groups lie, each before the one around it, from what /proc/self/cgroup has. Version 1
// where it has the controller: then version 2 has none.
struct CgroupFolders {
  int version = 2;
  std::vector<std::string> folders;  // "/jobs/7", "/jobs", ""
};
CgroupFolders cgroup_folders(std::string_view proc_self_cgroup);
// What memory.max or memory.limit_in_bytes has; none for "max", for version 1's number that means it, and for no
// number.
std::optional<std::uint64_t> cgroup_limit(std::string_view text);
// The number of a line of memory.stat, 0 where there is none.
std::uint64_t cgroup_stat(std::string_view stat, std::string_view name);

}  // namespace lockstep

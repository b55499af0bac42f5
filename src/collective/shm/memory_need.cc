#include "collective/shm/memory_need.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <vector>

#include "base/cgroup_memory.h"

namespace lockstep {
namespace {

double megabytes(std::uint64_t bytes) { return static_cast<double>(bytes) * 1e-6; }

// The bytes that the ranks of the group are about to take together.
std::uint64_t together(std::span<const MemoryNeed> needs, std::uint64_t group) {
  std::uint64_t bytes = 0;
  for (const MemoryNeed& need : needs) {
    if (std::ranges::find(need.groups, group, &MemoryNeed::Group::id) != need.groups.end()) bytes += need.bytes;
  }
  return bytes;
}

}  // namespace

MemoryNeed memory_need(std::uint64_t bytes) {
  const std::vector<CgroupMemory> limited = limited_cgroups();
  MemoryNeed need{.bytes = bytes};
  for (std::size_t i = 0; i < std::min(limited.size(), need.groups.size()); ++i) {
    need.groups[i] = {.id = limited[i].id, .limit = limited[i].limit, .free = limited[i].free()};
  }
  return need;
}

std::string lacks_memory(std::span<const MemoryNeed> needs, std::span<const int> job_ranks) {
  for (std::size_t rank = 0; rank < needs.size(); ++rank) {
    const MemoryNeed& mine = needs[rank];
    for (const MemoryNeed::Group& group : mine.groups) {
      if (group.id == 0 || mine.bytes == 0) continue;
      const std::uint64_t wanted = together(needs, group.id);
      if (wanted <= group.free) continue;
      return fmt::format(
          "rank {} gets no {:.1f} MB of shared memory: its control group (cgroup) has {:.1f} MB left of {:.1f} MB, and "
          "its ranks would take {:.1f} MB",
          job_ranks[rank], megabytes(mine.bytes), megabytes(group.free), megabytes(group.limit), megabytes(wanted));
    }
  }
  return "";
}

}  // namespace lockstep

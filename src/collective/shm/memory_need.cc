#include "collective/shm/memory_need.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <optional>

#include "base/cgroup_memory.h"

namespace lockstep {
namespace {

double megabytes(std::uint64_t bytes) { return static_cast<double>(bytes) * 1e-6; }

}  // namespace

MemoryNeed memory_need(std::uint64_t bytes) {
  const std::optional<CgroupMemory> group = tightest_cgroup();
  if (!group) return {.bytes = bytes};
  return {.bytes = bytes,
          .group = std::max<std::uint64_t>(std::hash<std::string>()(group->folder), 1),
          .limit = group->limit,
          .free = group->free()};
}

std::string lacks_memory(std::span<const MemoryNeed> needs, std::span<const int> job_ranks) {
  for (std::size_t rank = 0; rank < needs.size(); ++rank) {
    const MemoryNeed& mine = needs[rank];
    if (mine.group == 0 || mine.bytes == 0) continue;
    std::uint64_t together = 0;
    for (const MemoryNeed& need : needs) together += need.group == mine.group ? need.bytes : 0;
    if (together <= mine.free) continue;
    return fmt::format(
        "rank {} gets no {:.1f} MB of shared memory: its control group (cgroup) has {:.1f} MB left of {:.1f} MB, and "
        "its ranks would take {:.1f} MB",
        job_ranks[rank], megabytes(mine.bytes), megabytes(mine.free), megabytes(mine.limit), megabytes(together));
  }
  return "";
}

}  // namespace lockstep

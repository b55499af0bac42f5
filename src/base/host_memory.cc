#include "base/host_memory.h"

#include <algorithm>
#include <string_view>

#include "base/cgroup_memory.h"
#include "base/system_file.h"
#include "base/whole_number.h"

namespace lockstep {
namespace {

// The bytes of a line of /proc/meminfo, "MemTotal:       24684000 kB"; 0 if there is none.
std::uint64_t line_bytes(std::string_view meminfo, std::string_view name) {
  const std::size_t at = meminfo.find(name);
  if (at == std::string_view::npos) return 0;
  std::string_view rest = meminfo.substr(at + name.size());
  rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
  return take_digits<std::uint64_t>(rest).value_or(0) * 1024;
}

}  // namespace

HostMemory host_memory(const std::string& root) {
  const std::string meminfo = read_system_file(root + "/proc/meminfo");
  HostMemory memory{.total = line_bytes(meminfo, "MemTotal:"), .free = line_bytes(meminfo, "MemAvailable:")};
  if (memory.total == 0) return {};
  for (const CgroupMemory& group : limited_cgroups(root)) {
    memory.of_cgroup |= group.limit < memory.total;
    memory.total = std::min(memory.total, group.limit);
    memory.free = std::min(memory.free, group.free());
  }
  const std::uint64_t swap = line_bytes(meminfo, "SwapTotal:");
  memory.total += std::min(swap, cgroup_swap(root).value_or(swap));
  return memory;
}

}  // namespace lockstep

#include "base/cgroup_memory.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>

#include "base/system_file.h"
#include "base/whole_number.h"

namespace lockstep {
namespace {

// Mount points and file names, which differ between version 1 and version 2.
struct Names {
  std::vector<std::string> mounts;
  const char* limit;
  const char* swap_limit;  // the limit of swap space; in version 1 that of memory and swap space together
  const char* used;
  const char* inactive_files;
  const char* active_files;
};

Names names_in_version(int version) {
  if (version == 1) {
    return {{"/sys/fs/cgroup/memory"}, "memory.limit_in_bytes", "memory.memsw.limit_in_bytes",
            "memory.usage_in_bytes",   "total_inactive_file",   "total_active_file"};
  }
  return {{"/sys/fs/cgroup", "/sys/fs/cgroup/unified"},
          "memory.max",
          "memory.swap.max",
          "memory.current",
          "inactive_file",
          "active_file"};
}

// Removes the next line from the text and returns it.
std::string_view take_line(std::string_view& text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  text.remove_prefix(std::min(line.size() + 1, text.size()));
  return line;
}

std::optional<CgroupMemory> read_group(const std::string& folder, const Names& names) {
  const std::optional<std::uint64_t> limit = cgroup_limit(read_system_file(folder + names.limit));
  if (!limit) return {};
  const std::string used_file = read_system_file(folder + names.used);
  std::string_view used_text = used_file;
  const std::optional<std::uint64_t> used = take_digits<std::uint64_t>(used_text);
  if (!used) return {};
  const std::string counts = read_system_file(folder + "memory.stat");
  const std::uint64_t files = cgroup_stat(counts, names.inactive_files) + cgroup_stat(counts, names.active_files) +
                              cgroup_stat(counts, "slab_reclaimable");
  // The id comes from the folder's inode, because a group's name depends on the reader's namespace.
  struct stat status {};
  if (::stat(folder.c_str(), &status) != 0) return {};
  return CgroupMemory{.id = (std::uint64_t{status.st_dev} << 48U) ^ std::uint64_t{status.st_ino},
                      .limit = *limit,
                      .used = *used - std::min(*used, files)};
}

CgroupFolders own_groups(const std::string& root) {
  return cgroup_folders(read_system_file(root + "/proc/self/cgroup"));
}

std::vector<std::string> paths_of(const CgroupFolders& groups, const Names& names, const std::string& root) {
  std::vector<std::string> paths;
  for (const std::string& mount : names.mounts) {
    for (const std::string& folder : groups.folders) paths.push_back(fmt::format("{}{}{}/", root, mount, folder));
  }
  return paths;
}

}  // namespace

CgroupFolders cgroup_folders(std::string_view proc_self_cgroup) {
  CgroupFolders found;
  std::optional<std::string_view> innermost;
  while (!proc_self_cgroup.empty()) {  // lines "4:cpu,memory:/jobs/7", "0::/jobs/7"
    std::string_view line = take_line(proc_self_cgroup);
    const std::size_t first = line.find(':');
    const std::size_t second = first == std::string_view::npos ? first : line.find(':', first + 1);
    if (second == std::string_view::npos) continue;
    const std::string controllers = fmt::format(",{},", line.substr(first + 1, second - first - 1));
    const bool is_version_1 = controllers.find(",memory,") != std::string::npos;
    if (!is_version_1 && (line.substr(0, first) != "0" || found.version == 1)) continue;
    found.version = is_version_1 ? 1 : 2;
    innermost = line.substr(second + 1);
  }
  if (!innermost) return found;
  std::string_view folder = *innermost;
  while (folder.ends_with('/')) folder.remove_suffix(1);
  while (!folder.empty()) {
    found.folders.emplace_back(folder);
    const std::size_t slash = folder.rfind('/');
    folder = folder.substr(0, slash == std::string_view::npos ? 0 : slash);
  }
  found.folders.emplace_back();
  return found;
}

std::optional<std::uint64_t> cgroup_limit(std::string_view text) {
  constexpr std::uint64_t kNone = std::uint64_t{1} << 62;  // for no limit, version 1 has the largest multiple of a page
  const std::optional<std::uint64_t> limit = take_digits<std::uint64_t>(text);
  if (!limit || *limit >= kNone) return {};
  return limit;
}

std::uint64_t cgroup_stat(std::string_view stat, std::string_view name) {
  while (!stat.empty()) {
    std::string_view line = take_line(stat);
    if (!line.starts_with(name) || line.substr(name.size(), 1) != " ") continue;
    line.remove_prefix(name.size() + 1);
    return take_digits<std::uint64_t>(line).value_or(0);
  }
  return 0;
}

std::vector<CgroupMemory> limited_cgroups(const std::string& root) {
  const CgroupFolders groups = own_groups(root);
  const Names names = names_in_version(groups.version);
  std::vector<CgroupMemory> limited;
  for (const std::string& folder : paths_of(groups, names, root)) {
    if (const std::optional<CgroupMemory> group = read_group(folder, names)) limited.push_back(*group);
  }
  return limited;
}

std::optional<std::uint64_t> cgroup_swap(const std::string& root) {
  const CgroupFolders groups = own_groups(root);
  const Names names = names_in_version(groups.version);
  std::optional<std::uint64_t> least;
  for (const std::string& folder : paths_of(groups, names, root)) {
    std::optional<std::uint64_t> swap = cgroup_limit(read_system_file(folder + names.swap_limit));
    if (!swap) continue;
    if (groups.version == 1) {
      const std::optional<std::uint64_t> memory = cgroup_limit(read_system_file(folder + names.limit));
      if (!memory) continue;
      swap = *swap - std::min(*swap, *memory);
    }
    least = std::min(*swap, least.value_or(*swap));
  }
  return least;
}

}  // namespace lockstep

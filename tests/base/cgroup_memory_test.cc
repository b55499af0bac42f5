#include "base/cgroup_memory.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "support/temporary_folder.h"

namespace lockstep {
namespace {

using Folders = std::vector<std::string>;

// Writes a file below the folder that stands for the root of the file system.
void write(const TemporaryFolder& root, const std::string& path, const std::string& text) {
  const std::filesystem::path file = root / path;
  std::filesystem::create_directories(file.parent_path());
  std::ofstream(file) << text;
}

}  // namespace

TEST_CASE("the groups of a process, from its own to the root, of the version that has the memory controller") {
  CHECK(cgroup_folders("0::/jobs/7\n").folders == Folders{"/jobs/7", "/jobs", ""});
  CHECK(cgroup_folders("0::/jobs/7\n").version == 2);
  CHECK(cgroup_folders("0::/\n").folders == Folders{""});
  for (const char* text : {"9:cpu,memory:/a/b\n0::/\n", "0::/\n9:memory,cpu:/a/b", "9:memory:/a/b/\n"}) {
    CAPTURE(text);
    CHECK(cgroup_folders(text).version == 1);
    CHECK(cgroup_folders(text).folders == Folders{"/a/b", "/a", ""});
  }
  CHECK(cgroup_folders("0::/with:colon\n").folders == Folders{"/with:colon", ""});
  for (const char* text : {"", "\n\n", "nonsense", "0:/no", "5:cpu:/a\n", "5:memory2:/a\n"}) {
    CAPTURE(text);
    CHECK(cgroup_folders(text).folders.empty());
  }
}

TEST_CASE("a limit is a number, or there is none") {
  CHECK(cgroup_limit("1048576\n") == 1048576);
  CHECK(cgroup_limit("0\n") == 0);
  for (const char* text : {"max\n", "", "-1\n", "9223372036854771712\n", "99999999999999999999999\n"}) {
    CAPTURE(text);
    CHECK_FALSE(cgroup_limit(text).has_value());
  }
}

TEST_CASE("a number of memory.stat is that of the whole name") {
  const std::string stat = "file 7\nactive_file_other 8\nactive_file 9\ninactive_file x\n";
  CHECK(cgroup_stat(stat, "active_file") == 9);
  CHECK(cgroup_stat(stat, "inactive_file") == 0);
  CHECK(cgroup_stat(stat, "shmem") == 0);
  CHECK(cgroup_stat("", "file") == 0);
}

TEST_CASE("the groups with a limit, its own and those around it, and pages and names of files are free") {
  const TemporaryFolder root;
  CHECK(limited_cgroups(root.path()).empty());
  write(root, "proc/self/cgroup", "0::/jobs/7\n");
  CHECK(limited_cgroups(root.path()).empty());
  write(root, "sys/fs/cgroup/jobs/7/memory.max", "max\n");
  write(root, "sys/fs/cgroup/jobs/7/memory.current", "600\n");
  CHECK(limited_cgroups(root.path()).empty());
  write(root, "sys/fs/cgroup/jobs/memory.max", "1000\n");
  write(root, "sys/fs/cgroup/jobs/memory.current", "900\n");
  REQUIRE(limited_cgroups(root.path()).size() == 1);
  CHECK(limited_cgroups(root.path())[0].free() == 100);
  write(root, "sys/fs/cgroup/jobs/memory.stat",
        "anon 500\ninactive_file 90\nactive_file 50\nshmem 300\nslab_reclaimable 10\n");
  CHECK(limited_cgroups(root.path())[0].used == 750);
  write(root, "sys/fs/cgroup/jobs/7/memory.max", "650\n");
  const std::vector<CgroupMemory> both = limited_cgroups(root.path());
  REQUIRE(both.size() == 2);
  CHECK(both[0].limit == 650);
  CHECK(both[0].free() == 50);
  CHECK(both[1].free() == 250);
  CHECK(both[0].id != 0);
  CHECK(both[0].id != both[1].id);
  write(root, "sys/fs/cgroup/jobs/7/memory.current", "700\n");  // more than the limit, which was lowered since
  CHECK(limited_cgroups(root.path())[0].free() == 0);
}

TEST_CASE("version 1 has names of its own") {
  const TemporaryFolder root;
  write(root, "proc/self/cgroup", "4:memory:/job\n0::/\n");
  write(root, "sys/fs/cgroup/memory/job/memory.limit_in_bytes", "1000\n");
  write(root, "sys/fs/cgroup/memory/job/memory.usage_in_bytes", "800\n");
  write(root, "sys/fs/cgroup/memory/job/memory.stat",
        "inactive_file 1\ntotal_inactive_file 100\ntotal_active_file 50\n");
  write(root, "sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  REQUIRE(limited_cgroups(root.path()).size() == 1);
  CHECK(limited_cgroups(root.path())[0].free() == 350);
}

}  // namespace lockstep

#include "base/host_memory.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "support/temporary_folder.h"

namespace lockstep {
namespace {

void write_file(const TemporaryFolder& root, const std::string& path, const std::string& text) {
  const std::filesystem::path file = root / path;
  std::filesystem::create_directories(file.parent_path());
  std::ofstream(file) << text;
}

constexpr const char* kMeminfo =
    "MemTotal:       1000 kB\nMemFree:         100 kB\nMemAvailable:    600 kB\nSwapTotal:        50 kB\n";

}  // namespace

TEST_CASE("the memory of a host is what the kernel says of it, with the swap space") {
  const TemporaryFolder root;
  write_file(root, "proc/meminfo", kMeminfo);
  const HostMemory memory = host_memory(root.path());
  CHECK(memory.total == 1050 * 1024);
  CHECK(memory.free == 600 * 1024);
  CHECK(!memory.of_cgroup);
}

TEST_CASE("where a control group allows less, it is that") {
  const TemporaryFolder root;
  write_file(root, "proc/meminfo", kMeminfo);
  write_file(root, "proc/self/cgroup", "0::/job\n");
  write_file(root, "sys/fs/cgroup/job/memory.max", "409600\n");
  write_file(root, "sys/fs/cgroup/job/memory.current", "102400\n");
  write_file(root, "sys/fs/cgroup/job/memory.stat", "inactive_file 0\nactive_file 0\n");
  const HostMemory memory = host_memory(root.path());
  CHECK(memory.total == 409600 + 50 * 1024);
  CHECK(memory.of_cgroup);
  CHECK(memory.free == 307200);
}

TEST_CASE("of a host that does not say nothing is known, and of this one it is") {
  const TemporaryFolder root;
  CHECK(host_memory(root.path()).total == 0);
  const HostMemory here = host_memory();
  CHECK(here.total > 0);
  CHECK(here.free <= here.total);
}

}  // namespace lockstep

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

TEST_CASE(
    "of the swap space no more counts than the least that a control group around leaves, of none that says nothing "
    "all") {
  const TemporaryFolder root;
  write_file(root, "proc/meminfo", kMeminfo);
  write_file(root, "proc/self/cgroup", "0::/jobs/7\n");
  write_file(root, "sys/fs/cgroup/jobs/7/memory.max", "409600\n");
  write_file(root, "sys/fs/cgroup/jobs/7/memory.current", "0\n");
  CHECK(host_memory(root.path()).total == 409600 + 50 * 1024);
  write_file(root, "sys/fs/cgroup/jobs/7/memory.swap.max", "max\n");
  CHECK(host_memory(root.path()).total == 409600 + 50 * 1024);
  write_file(root, "sys/fs/cgroup/jobs/7/memory.swap.max", "20480\n");
  CHECK(host_memory(root.path()).total == 409600 + 20480);
  write_file(root, "sys/fs/cgroup/jobs/memory.swap.max", "0\n");  // a group that limits nothing else
  CHECK(host_memory(root.path()).total == 409600);
  write_file(root, "sys/fs/cgroup/jobs/memory.swap.max", "1073741824\n");
  CHECK(host_memory(root.path()).total == 409600 + 20480);
}

TEST_CASE("control groups of version 1 limit memory and swap space together") {
  const TemporaryFolder root;
  write_file(root, "proc/meminfo", kMeminfo);
  write_file(root, "proc/self/cgroup", "4:memory:/job\n");
  write_file(root, "sys/fs/cgroup/memory/job/memory.limit_in_bytes", "409600\n");
  write_file(root, "sys/fs/cgroup/memory/job/memory.usage_in_bytes", "0\n");
  CHECK(host_memory(root.path()).total == 409600 + 50 * 1024);
  write_file(root, "sys/fs/cgroup/memory/job/memory.memsw.limit_in_bytes", "9223372036854771712\n");
  CHECK(host_memory(root.path()).total == 409600 + 50 * 1024);
  write_file(root, "sys/fs/cgroup/memory/job/memory.memsw.limit_in_bytes", "419840\n");
  CHECK(host_memory(root.path()).total == 419840);
  write_file(root, "sys/fs/cgroup/memory/job/memory.memsw.limit_in_bytes", "409600\n");
  CHECK(host_memory(root.path()).total == 409600);
}

TEST_CASE("of a host that does not say nothing is known, and of this one it is") {
  const TemporaryFolder root;
  CHECK(host_memory(root.path()).total == 0);
  const HostMemory here = host_memory();
  CHECK(here.total > 0);
  CHECK(here.free <= here.total);
}

}  // namespace lockstep

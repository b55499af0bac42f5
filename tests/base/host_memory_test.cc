#include "base/host_memory.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>

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

constexpr std::uint64_t kSwap = 50 * 1024;
constexpr std::uint64_t kLimit = 409600;

// A host with kMeminfo, on which this process is in a control group that limits its memory to kLimit and uses none.
class LimitedHost {
 public:
  // groups: content of /proc/self/cgroup; folder: the group's folder; limit, used: its files.
  LimitedHost(const std::string& groups, std::string folder, const std::string& limit, const std::string& used)
      : folder_(std::move(folder)) {
    write_file(root_, "proc/meminfo", kMeminfo);
    write_file(root_, "proc/self/cgroup", groups + "\n");
    set(limit, std::to_string(kLimit));
    set(used, "0");
  }
  void set(const std::string& file, const std::string& text) const { write_file(root_, folder_ + file, text + "\n"); }
  HostMemory memory() const { return host_memory(root_.path()); }

 private:
  TemporaryFolder root_;
  std::string folder_;
};

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
  const LimitedHost host("0::/job", "sys/fs/cgroup/job/", "memory.max", "memory.current");
  host.set("memory.current", "102400");
  host.set("memory.stat", "inactive_file 0\nactive_file 0");
  const HostMemory memory = host.memory();
  CHECK(memory.total == kLimit + kSwap);
  CHECK(memory.of_cgroup);
  CHECK(memory.free == 307200);
}

TEST_CASE("swap space counts as far as every control group around this process allows it") {
  const LimitedHost host("0::/jobs/7", "sys/fs/cgroup/jobs/7/", "memory.max", "memory.current");
  CHECK(host.memory().total == kLimit + kSwap);
  host.set("memory.swap.max", "max");
  CHECK(host.memory().total == kLimit + kSwap);
  host.set("memory.swap.max", "20480");
  CHECK(host.memory().total == kLimit + 20480);
  host.set("../memory.swap.max", "0");  // the parent group's, which limits nothing else
  CHECK(host.memory().total == kLimit);
  host.set("../memory.swap.max", "1073741824");
  CHECK(host.memory().total == kLimit + 20480);
}

TEST_CASE("control groups of version 1 limit memory and swap space together") {
  const LimitedHost host("4:memory:/job", "sys/fs/cgroup/memory/job/", "memory.limit_in_bytes",
                         "memory.usage_in_bytes");
  CHECK(host.memory().total == kLimit + kSwap);
  host.set("memory.memsw.limit_in_bytes", "9223372036854771712");
  CHECK(host.memory().total == kLimit + kSwap);
  host.set("memory.memsw.limit_in_bytes", "419840");
  CHECK(host.memory().total == 419840);
  host.set("memory.memsw.limit_in_bytes", "409600");
  CHECK(host.memory().total == kLimit);
}

TEST_CASE("of a host that does not say nothing is known, and of this one it is") {
  const TemporaryFolder root;
  CHECK(host_memory(root.path()).total == 0);
  const HostMemory here = host_memory();
  CHECK(here.total > 0);
  CHECK(here.free <= here.total);
}

}  // namespace lockstep

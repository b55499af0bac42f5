#include "base/cpu_affinity.h"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <array>
#include <thread>

namespace lockstep {
namespace {

// The most cores that Linux can be built for (CONFIG_NR_CPUS): cpu_set_t ends at 1024, and the kernel refuses to fill a
// mask that is shorter than its own.
constexpr int kMaxCores = 8192;

using CoreMask = std::array<cpu_set_t, kMaxCores / CPU_SETSIZE>;

bool contains(const CoreMask& mask, int core) {
  return CPU_ISSET_S(static_cast<std::size_t>(core), sizeof mask, mask.data());
}

CoreMask own_cores() {
  CoreMask mask{};
  if (sched_getaffinity(0, sizeof mask, mask.data()) != 0) mask = {};
  return mask;
}

}  // namespace

void allow_all_cores() {
  CoreMask mask{};
  for (int core = 0; core < kMaxCores; ++core) CPU_SET_S(static_cast<std::size_t>(core), sizeof mask, mask.data());
  // The kernel keeps the cores that exist and that the cgroup's cpuset allows.
  static_cast<void>(sched_setaffinity(0, sizeof mask, mask.data()));
}

std::string allowed_cores() {
  const CoreMask mask = own_cores();
  std::string text;
  for (int core = 0; core < kMaxCores; ++core) {
    if (!contains(mask, core)) continue;
    const int first = core;
    while (core + 1 < kMaxCores && contains(mask, core + 1)) ++core;
    text += fmt::format("{}{}", text.empty() ? "" : ",", first);
    if (core > first) text += fmt::format("-{}", core);
  }
  return text.empty() ? "unknown" : text;
}

int host_cores() {
  int count = 0;
  // A separate thread, so that the caller's binding never changes.
  std::thread([&count] {
    allow_all_cores();
    const CoreMask mask = own_cores();
    count = CPU_COUNT_S(sizeof mask, mask.data());
  }).join();
  return std::max(count, 1);
}

}  // namespace lockstep

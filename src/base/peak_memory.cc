#include "base/peak_memory.h"

#include <fstream>
#include <string>
#include <string_view>

namespace lockstep {
namespace {

// Not getrusage: its peak of a process starts at that of the process that started it.
std::int64_t status_bytes(std::string_view name) {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    std::int64_t kibibytes = 0;
    if (word == name && status >> kibibytes) return kibibytes * 1024;
  }
  return 0;
}

}  // namespace

std::int64_t peak_memory_bytes() { return status_bytes("VmHWM:"); }
std::int64_t own_memory_bytes() { return status_bytes("RssAnon:"); }

}  // namespace lockstep

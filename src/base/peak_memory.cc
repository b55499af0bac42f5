#include "base/peak_memory.h"

#include <fstream>
#include <string>
#include <string_view>

namespace lockstep {
namespace {

// The bytes of a line of /proc/self/status; 0 if there is none. getrusage's peak starts at that of the parent process.
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

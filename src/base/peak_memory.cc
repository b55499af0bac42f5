#include "base/peak_memory.h"

#include <fstream>
#include <string>

namespace lockstep {

// Not getrusage: what it says of a process begins with what the one had that has started it.
std::int64_t peak_memory_bytes() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    std::int64_t kibibytes = 0;
    if (word == "VmHWM:" && status >> kibibytes) return kibibytes * 1024;
  }
  return 0;
}

}  // namespace lockstep

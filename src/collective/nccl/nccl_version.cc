#include "collective/nccl/nccl_version.h"

#include <fmt/format.h>

namespace lockstep {

std::string nccl_version_text(int version) {
  const int major = version < 10000 ? 1000 : 10000;
  return fmt::format("{}.{}.{}", version / major, version % major / 100, version % 100);
}

}  // namespace lockstep

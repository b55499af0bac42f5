#include "train/output/start_line.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <ctime>

namespace lockstep {

Json::Object start_members(int ranks) {
  return {{"version", LOCKSTEP_VERSION},
          {"started", fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)))},
          {"ranks", ranks}};
}

}  // namespace lockstep

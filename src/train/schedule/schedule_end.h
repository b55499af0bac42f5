#pragma once

#include <string>

#include "base/exit_code.h"

namespace lockstep {

// How the work of a schedule ended, the same on every rank.
struct ScheduleEnd {
  ExitCode code = ExitCode::done;
  bool stopped = false;  // on request, and all is saved: every rank may leave at once
  std::string answer{};  // for the standard output, the chief's
};

}  // namespace lockstep

#pragma once

#include <string>

#include "base/exit_code.h"

namespace lockstep {

// The end of a schedule's work, the same on every rank.
struct ScheduleEnd {
  ExitCode code = ExitCode::done;
  bool stopped = false;  // on request, and all is saved: every rank may leave at once
  std::string answer{};  // for the chief's standard output
};

}  // namespace lockstep

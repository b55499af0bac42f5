#pragma once

#include <string>

#include "base/exit_code.h"

namespace lockstep {

// The end of a schedule's work, the same on every rank except for the answer.
struct ScheduleEnd {
  ExitCode code = ExitCode::done;
  bool stopped = false;     // ended on request, with nothing left to save: every rank may leave at once
  bool lost_ranks = false;  // ranks have ended before: nothing that is COLLECTIVE may follow
  std::string answer{};     // text for the chief's standard output; the other ranks' is not used
};

}  // namespace lockstep

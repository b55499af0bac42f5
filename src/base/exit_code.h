#pragma once

#include <span>

namespace lockstep {

// Process exit codes; the values are a promise to job scripts. exit_code_meanings() says when a job ends with each.
enum class ExitCode : int {
  done = 0,
  usage = 64,
  bad_data = 65,
  missing_input = 66,
  internal = 70,
  cannot_write = 74,
  stopped = 75,
  configuration = 78,
};

// When a job ends with a code, as --help and docs/launching.md say it.
struct ExitCodeMeaning {
  ExitCode code;
  const char* when;
};
std::span<const ExitCodeMeaning> exit_code_meanings();

}  // namespace lockstep

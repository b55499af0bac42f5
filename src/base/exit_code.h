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

// The code of a job that a signal ended with nothing saved: 128 + signal, as a shell has it for a process that dies of
// one. A script that runs a job again on `stopped` would begin it anew for ever.
constexpr ExitCode ended_by_signal(int signal) { return static_cast<ExitCode>(128 + signal); }

// When a job ends with a code, as --help and docs/launching.md say it.
struct ExitCodeMeaning {
  ExitCode code;
  const char* when;
};
std::span<const ExitCodeMeaning> exit_code_meanings();

}  // namespace lockstep

#pragma once

#include <span>

namespace lockstep {

// Process exit codes; job scripts rely on the values. exit_code_meanings() says when a job ends with each.
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

// Exit code of a job that a signal ended with nothing saved: 128 + signal, as shells report a process that dies of one.
// Not `stopped`: a script that runs a job again on that code would restart this one forever.
constexpr ExitCode ended_by_signal(int signal) { return static_cast<ExitCode>(128 + signal); }

// The meaning of an exit code, for --help and docs/launching.md.
struct ExitCodeMeaning {
  ExitCode code;
  const char* when;
};
std::span<const ExitCodeMeaning> exit_code_meanings();

}  // namespace lockstep

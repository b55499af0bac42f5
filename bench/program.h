#pragma once

#include <cstdio>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "launch/flags/command_line.h"
#include "launch/job/run_rank.h"

namespace lockstep::bench {

// main() of a bench whose ranks form a job: calls run() with the arguments, or prints the flags from rank 0 for --help.
// COLLECTIVE.
inline int run_program(int argc, char** argv, std::span<const Flag> flags,
                       const std::function<void(std::span<const std::string>, Job&)>& run) {
  const std::vector<std::string> args(argv + 1, argv + argc);
  return run_rank([&](Job& job) {
    if (!asks_for_help(args)) {
      run(args, job);
    } else if (job.rank() == 0) {
      std::fputs(flags_help(flags).c_str(), stdout);
    }
    return ExitCode::done;
  });
}

}  // namespace lockstep::bench

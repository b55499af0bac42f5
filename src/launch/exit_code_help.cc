#include "launch/exit_code_help.h"

#include <array>

#include <fmt/format.h>

#include "base/error.h"

namespace lockstep {

std::string exit_code_help() {
  struct Line {
    ExitCode code;
    const char* meaning;
  };
  constexpr std::array<Line, 8> kLines = {{
      {ExitCode::done, "done"},
      {ExitCode::usage,
       "wrong usage: a flag or hyperparameter that is unknown, repeated or malformed, an unknown name"},
      {ExitCode::bad_data, "bad input data: truncated, corrupt, mismatched, a label outside the classes"},
      {ExitCode::missing_input, "an input file is missing"},
      {ExitCode::internal, "internal error, NaN or infinity in loss or gradients, out of memory, a hang"},
      {ExitCode::cannot_write, "cannot write: disk full, no permission"},
      {ExitCode::stopped, "stopped on request after saving; run the same command again to go on"},
      {ExitCode::configuration,
       "a combination or a launch that cannot work: no such device, more ranks than training samples"},
  }};
  std::string text = "Exit codes:\n";
  for (const Line& line : kLines) text += fmt::format("  {:>2}  {}\n", static_cast<int>(line.code), line.meaning);
  return text;
}

}  // namespace lockstep

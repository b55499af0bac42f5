#include "launch/flags/exit_code_help.h"

#include <fmt/format.h>

#include "base/exit_code.h"

namespace lockstep {

std::string exit_code_help() {
  std::string text = "Exit codes:\n";
  for (const ExitCodeMeaning& meaning : exit_code_meanings()) {
    text += fmt::format("  {:>2}  {}\n", static_cast<int>(meaning.code), meaning.when);
  }
  return text;
}

}  // namespace lockstep

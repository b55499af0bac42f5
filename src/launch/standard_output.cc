#include "launch/standard_output.h"

#include <fmt/format.h>
#include <unistd.h>

#include <span>

#include "base/descriptor.h"
#include "base/error.h"

namespace lockstep {

void print_to_standard_output(std::string_view text) {
  const Transfer done = write_fully(STDOUT_FILENO, std::as_bytes(std::span(text)));
  if (done.error == 0) return;
  throw Error(ExitCode::cannot_write,
              fmt::format("cannot write the result to the standard output: {}", system_message(done.error)));
}

bool standard_output_is_terminal() { return ::isatty(STDOUT_FILENO) != 0; }

}  // namespace lockstep

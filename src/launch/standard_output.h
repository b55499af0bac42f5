#pragma once

#include <functional>
#include <string_view>

namespace lockstep {

// Takes a piece of a program's result, in order. Throws Error(cannot_write) if it cannot go on.
using Print = std::function<void(std::string_view text)>;

// Prints to the standard output, at once. A closed pipe or a full disk is an Error(cannot_write), so that it does not
// look like success. REQUIRES: SIGPIPE is ignored.
void print_to_standard_output(std::string_view text);

// True if a person reads the output as it comes. REQUIRES: no launcher has started this process, as mpirun gives its
// ranks terminals of its own.
bool standard_output_is_terminal();

}  // namespace lockstep

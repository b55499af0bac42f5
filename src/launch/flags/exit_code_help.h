#pragma once

#include <string>

namespace lockstep {

// The exit codes (base/exit_code.h) as the end of a program's help.
std::string exit_code_help();

}  // namespace lockstep

#pragma once

#include <string>

#include "base/exit_code.h"

// Limits of this process that a system call may have hit: their names and values for messages, and the cure. Any thread
// may call.
namespace lockstep {

// The addition to the system's message for too many open files, of this process (EMFILE) or of its host (ENFILE): ":
// this process may have 1024 open (ulimit -n); ..."; "" for any other error.
std::string file_limit_advice(int error);

// Exit code of a failure: internal for too many open files, for which the file is not to blame; else `usual`.
ExitCode code_of_failure(int error, ExitCode usual);

// The exhausted memory in words: " of the 1300.0 MB that this process may have (ulimit -v)", or " on the host" if there
// is no such limit.
std::string memory_limit_text();

// The message for a thread that the system refused.
std::string thread_limit_message();

}  // namespace lockstep

#pragma once

#include <string>

#include "base/exit_code.h"

// Limits of this process that a system call may have run into: their names and values for messages, and the cure. Any
// thread may call.
namespace lockstep {

// What to add to the system's message of an error of too many open files, of this process (EMFILE) or of its host
// (ENFILE): ": this process may have 1024 open (ulimit -n); ..."; "" for any other error.
std::string file_limit_advice(int error);

// The code of a failure whose cause may be such a limit, and not the file: internal then, else `usual`.
ExitCode code_of_failure(int error, ExitCode usual);

// Whose memory has come to its end: " of the 1300.0 MB that this process may have (ulimit -v)", or " on the host" where
// there is no such limit.
std::string memory_limit_text();

// The message of a thread that the system refused.
std::string thread_limit_message();

}  // namespace lockstep

#pragma once

#include <string>

namespace lockstep {

// The name of a signal that asks a process to end or to save: "SIGTERM". Others are "signal 3".
std::string signal_name(int signal);

}  // namespace lockstep

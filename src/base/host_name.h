#pragma once

#include <string>

namespace lockstep {

// This host's name from gethostname(2); "unknown host" if that fails. Any thread.
std::string host_name();

}  // namespace lockstep

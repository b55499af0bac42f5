#pragma once

#include <string>

namespace lockstep {

// This host's name, as gethostname(2) says it; "unknown host" if it does not. Any thread.
std::string host_name();

}  // namespace lockstep

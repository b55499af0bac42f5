#pragma once

#include <string>

namespace lockstep {

// The line that --version prints and a run begins with: the version and what this build can use.
std::string version_text();

}  // namespace lockstep

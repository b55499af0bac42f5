#pragma once

#include <string>

namespace lockstep {

// What --version prints: the version, then what this build can use, a line each.
std::string version_text();

}  // namespace lockstep

#pragma once

#include <string>

namespace lockstep {

// What --version prints and a run begins with, one line: the version and what this build can use.
std::string version_text();

}  // namespace lockstep

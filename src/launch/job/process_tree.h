#pragma once

#include <sys/types.h>

#include <filesystem>
#include <vector>

namespace lockstep {

// The parent of the process with this folder in /proc; 0 if the process is gone or not visible.
pid_t parent_of(const std::filesystem::path& process);

// The processes above this one, the nearest first, without init.
std::vector<pid_t> ancestors();

}  // namespace lockstep

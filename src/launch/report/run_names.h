#pragma once

#include <span>
#include <string>
#include <vector>

namespace lockstep {

// Names of runs in a report, by their folders: "RUN" for ../a/RUN/, and for . the working folder's name. Folders that
// would have the same name keep the paths that they were given as. Fit to be printed.
std::vector<std::string> run_names(std::span<const std::string> folders);

}  // namespace lockstep

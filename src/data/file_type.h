#pragma once

#include <filesystem>
#include <string>

namespace lockstep {

// Type of the file at a path, links followed; not_found if there is none. Throws Error(missing_input) that names the
// path if the type cannot be determined, and for a dangling link: a split that it points to is meant to exist, and its
// disk may just not be mounted.
std::filesystem::file_type type_of(const std::filesystem::path& path);

// Throws Error(missing_input) if --data_dir is not a folder. REQUIRES: it is not empty.
void check_data_dir(const std::string& data_dir);

}  // namespace lockstep

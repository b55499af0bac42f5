#pragma once

#include <filesystem>
#include <string>

namespace lockstep {

// What is at a path, links followed; not_found: nothing. Throws Error(missing_input) that names the path if that cannot
// be told, and for a link that leads to nothing: a split behind it is meant to be there, and its disk may just not be.
std::filesystem::file_type type_of(const std::filesystem::path& path);

// Throws Error(missing_input) if --data_dir is no folder. REQUIRES: it is not empty.
void check_data_dir(const std::string& data_dir);

}  // namespace lockstep

#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lockstep {

// The path of an evaluation's details: OUTPUT_DIR/eval/details-SPLIT.json.
std::string details_file(const std::string& output_dir, std::string_view split);

// The details files that exist, sorted by name; none if the folder cannot be read.
std::vector<std::string> details_files(const std::string& output_dir);

}  // namespace lockstep

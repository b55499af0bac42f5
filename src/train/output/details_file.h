#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lockstep {

// Where the details of an evaluation are: OUTPUT_DIR/eval/details-SPLIT.json.
std::string details_file(const std::string& output_dir, std::string_view split);

// Those that are there, in the order of their names. What cannot be looked at has none.
std::vector<std::string> details_files(const std::string& output_dir);

}  // namespace lockstep

#pragma once

#include <string>

namespace lockstep {

// For a folder without the arrays that were looked for: arrays of other names in it, CSV files and folders of images,
// and how to make .npy files of them. "; what is there: 'iris.csv'; make arrays of it: ..."; "" if there is nothing
// like that.
std::string describe_other_data(const std::string& folder);

}  // namespace lockstep

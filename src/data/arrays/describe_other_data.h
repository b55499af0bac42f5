#pragma once

#include <string>

namespace lockstep {

// Describes other data in a folder that lacks the expected arrays: arrays of other names, CSV files and folders of
// images, and how to make .npy files of them. "; what is there: 'iris.csv'; make arrays of it: ..."; "" if there is
// nothing like that.
std::string describe_other_data(const std::string& folder);

}  // namespace lockstep

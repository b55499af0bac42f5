#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/environment.h"

// What a user or a site has set in Open MPI's parameter files. The environment wins over them, and so would what
// Lockstep sets there: it has to know them, to leave them their say.
namespace lockstep {

// By name, as in "btl = ^openib".
using McaParameters = std::map<std::string, std::string, std::less<>>;

// Lines "name = value"; of a name that stands there twice the last. Comments and lines of any other form say nothing.
McaParameters parse_mca_parameters(std::string_view text);

// Where Open MPI looks, the file that counts first. The site's lie in a folder that was chosen when Open MPI was built:
// the prefix's etc, or that of a distribution. library_folder: of libmpi, "" if that is not known.
std::vector<std::string> mca_parameter_files(const Environment& environment, const std::string& library_folder);

// What the files say together. One that is not there or cannot be read says nothing: Open MPI cannot read it either.
McaParameters read_mca_parameters(const std::vector<std::string>& files);

}  // namespace lockstep

#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/environment.h"

// Parameters that a user or a site has set in Open MPI's parameter files. The environment overrides them, and so would
// Lockstep's settings there: it has to know them in order to respect them.
namespace lockstep {

// Values by name, as in "btl = ^openib".
using McaParameters = std::map<std::string, std::string, std::less<>>;

// Parses lines "name = value"; the last line of a name wins. Comments and lines of any other form are ignored.
McaParameters parse_mca_parameters(std::string_view text);

// The files that Open MPI reads, the one that takes precedence first. The site's lie in a folder that was chosen when
// Open MPI was built: the prefix's etc, or that of a distribution. library_folder: libmpi's, "" if it is not known.
std::vector<std::string> mca_parameter_files(const Environment& environment, const std::string& library_folder);

// The parameters of all files together; for a name in several, the first file's. A file that is missing, unreadable or
// larger than 1 MiB is ignored.
McaParameters read_mca_parameters(const std::vector<std::string>& files);

}  // namespace lockstep

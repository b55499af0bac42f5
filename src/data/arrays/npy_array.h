#pragma once

#include <memory>
#include <string>

#include "data/arrays/array_source.h"

namespace lockstep {

// An array in a .npy file (data/arrays/npy_header.h), of versions 1 to 3, in either byte order; kept open. The rows
// follow one another, so that any of them can be read. Throws Error(missing_input) if the file cannot be read;
// Error(bad_data) that names it if it is not a .npy file of plain numbers, is in Fortran order, or has fewer or more
// bytes than its header says.
std::unique_ptr<ArraySource> open_npy(const std::string& path);

}  // namespace lockstep

#pragma once

#include <string>

#include "fuzzing.h"

namespace lockstep {

// Changes an HDF5 file through HDF5's own calls, as directed by the bytes of an input: objects and attributes are left
// out, renamed, or written again with another type, shape, storage or value. The result is always valid HDF5, so errors
// in it are for the checkpoint's reader to find. Changes that HDF5 refuses are skipped.
void rewrite_hdf5(const std::string& path, Input& input);

}  // namespace lockstep

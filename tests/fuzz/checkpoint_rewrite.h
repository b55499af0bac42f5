#pragma once

#include <string>

#include "fuzzing.h"

namespace lockstep {

// Changes an HDF5 file through HDF5's own calls, as the bytes of an input say: objects and attributes are left out,
// renamed, or written again with another type, shape, storage or value. So whatever comes out is sound HDF5, and what
// is wrong with it is for the checkpoint's reader to find. Changes that HDF5 refuses are left out.
void rewrite_hdf5(const std::string& path, Input& input);

}  // namespace lockstep

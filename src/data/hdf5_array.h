#pragma once

#include <memory>
#include <string>

#include "data/array_source.h"
#include "data/hdf5_file.h"

namespace lockstep {

// An array in an HDF5 file, whatever its layout, byte order and packing. Keeps the file open.
// Throws Error(bad_data) that names file and data set if there is none, its elements are no plain numbers, no value was
// ever written, or it is packed in a way this HDF5 library does not know.
std::unique_ptr<ArraySource> open_hdf5_array(std::shared_ptr<const Hdf5File> file, const std::string& data_set);

}  // namespace lockstep

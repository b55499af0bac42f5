#pragma once

#include <memory>
#include <string>

#include "data/arrays/array_source.h"
#include "data/arrays/hdf5_file.h"

namespace lockstep {

// An array in an HDF5 file, whatever its layout, in either byte order, plain or packed by gzip. Keeps the file open.
// Throws Error(bad_data) that names file and data set if there is none, its elements are not plain numbers, its values
// lie in other files, or fault() of data/arrays/hdf5_chunks.h finds something. Chunks are checked when they are read.
std::unique_ptr<ArraySource> open_hdf5_array(std::shared_ptr<const Hdf5File> file, const std::string& data_set);

}  // namespace lockstep

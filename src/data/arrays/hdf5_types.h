#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "data/arrays/element_type.h"
#include "data/arrays/hdf5_handle.h"

// Element types and extents of data sets in HDF5 files.
namespace lockstep {

// The plain number type of a library type, in either byte order: an integer that fills its bytes, or an IEEE 754 float.
// None for any other: fields moved by a damaged file would be read as other numbers.
std::optional<ElementType> plain_type(std::int64_t type);

// The type in memory that such elements are read as; HDF5 converts the other byte order.
Hdf5Handle memory_type(ElementType type);

// Name of elements that have no plain type, for messages: "booleans".
const char* name_of_other_type(std::int64_t type);

// Extents of a data set: empty for a scalar, {0} for h5py's Empty.
std::vector<std::uint64_t> hdf5_extents(std::int64_t data_set);

}  // namespace lockstep

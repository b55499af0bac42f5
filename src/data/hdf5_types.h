#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "data/element_type.h"
#include "data/hdf5_handle.h"

// What the elements and the extents of a data set in an HDF5 file are.
namespace lockstep {

// The plain number that a type of the library stands for, in either byte order: an integer that fills its bytes, or a
// float of IEEE 754. None of any other: fields moved by a damaged file would be read as other numbers.
std::optional<ElementType> plain_type(std::int64_t type);

// The type in memory that such elements are read as; HDF5 turns the other byte order round.
Hdf5Handle memory_type(ElementType type);

// What elements of no plain type are, for messages: "booleans".
const char* name_of_other_type(std::int64_t type);

// None of a single number; {0} of h5py's Empty.
std::vector<std::uint64_t> hdf5_extents(std::int64_t data_set);

}  // namespace lockstep

#pragma once

#include <cstddef>
#include <map>
#include <string>

#include "data/arrays/hdf5_file.h"

namespace lockstep {

enum class Hdf5Kind { group, data_set };

// Contents of an HDF5 file by path from the root: "parameters", "parameters/dense_0", "parameters/dense_0/kernel".
using Hdf5Contents = std::map<std::string, Hdf5Kind, std::less<>>;

// Lists a checkpoint's groups and data sets before anything in them is used. Refuses what the format does not have:
// links other than hard ones (soft, external, a plug-in's), which could lead out of the file or wait forever; objects
// with two names, which may lie within themselves; committed types; other groups or data sets in the root; empty groups
// in a group; groups nested beyond kMaxHdf5Depth; more members than kMaxHdf5Members. Walks without recursion.
//
// Throws Error(bad_data) that names the file and the path.
Hdf5Contents inspect_checkpoint(const Hdf5File& file);

inline constexpr std::size_t kMaxHdf5Depth = 32;         // names in a path
inline constexpr std::size_t kMaxHdf5Members = 1 << 16;  // members of all groups together

}  // namespace lockstep

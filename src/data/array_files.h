#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "data/array_source.h"
#include "data/problem.h"

namespace lockstep {

// The two arrays of a split, open.
struct SplitArrays {
  std::unique_ptr<ArraySource> inputs;      // (N, ...)
  std::unique_ptr<ArraySource> targets;     // (N, ...)
  std::optional<std::int64_t> num_classes;  // an attribute of the targets in HDF5
};

// Opens a split's arrays: data sets inputs and targets of <folder>/<split>.h5, or <folder>/<split>_inputs.npy and
// <split>_targets.npy. None if there are none of these. Throws Error(configuration) if both kinds are there,
// Error(missing_input) if one .npy lacks the other or a file cannot be read, Error(bad_data) for what is no such array.
std::optional<SplitArrays> open_split_arrays(const std::string& folder, Split split);

// Throws Error(usage) if no folder is given, Error(missing_input) if it is none.
void check_array_folder(const std::string& folder);

// For who named the files otherwise: "; what is there: 'train.npz', 'x_train.npy'", "" if there is nothing like that.
std::string similar_files(const std::string& folder);

}  // namespace lockstep

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "data/arrays/array_source.h"
#include "data/problem.h"

namespace lockstep {

// The arrays of a split, open.
struct SplitArrays {
  std::unique_ptr<ArraySource> inputs;      // (N, ...)
  std::unique_ptr<ArraySource> targets;     // (N, ...); null if not needed
  std::optional<std::int64_t> num_classes;  // an attribute of the targets in HDF5
};

// The requested splits that exist.
class OpenedArrays {
 public:
  std::optional<SplitArrays>& operator[](Split split) { return splits_[static_cast<std::size_t>(split)]; }
  const std::optional<SplitArrays>& operator[](Split split) const { return splits_[static_cast<std::size_t>(split)]; }

 private:
  std::array<std::optional<SplitArrays>, 3> splits_;
};

// Opens the splits' arrays: data sets inputs and targets of DIR/<split>.h5, or DIR/<split>_inputs.npy and
// <split>_targets.npy. Uses data_dir, only, needs_targets and known of the options; with a known model no training
// split is required. Throws Error(usage) if no folder is given; Error(configuration) if both kinds of file exist;
// Error(missing_input) if the required split is missing, one .npy file lacks the other, or a file cannot be read;
// Error(bad_data) if a file holds no such array.
OpenedArrays open_arrays(const ProblemOptions& options);

}  // namespace lockstep

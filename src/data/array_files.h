#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "data/array_source.h"
#include "data/problem.h"

namespace lockstep {

// The arrays of a split, open.
struct SplitArrays {
  std::unique_ptr<ArraySource> inputs;      // (N, ...)
  std::unique_ptr<ArraySource> targets;     // (N, ...); null if they are not needed
  std::optional<std::int64_t> num_classes;  // an attribute of the targets in HDF5
};

// The splits that are there, of those that were asked for.
class OpenedArrays {
 public:
  std::optional<SplitArrays>& operator[](Split split) { return splits_[static_cast<std::size_t>(split)]; }
  const std::optional<SplitArrays>& operator[](Split split) const { return splits_[static_cast<std::size_t>(split)]; }

 private:
  std::array<std::optional<SplitArrays>, 3> splits_;
};

// Opens the splits' arrays: data sets inputs and targets of DIR/<split>.h5, or DIR/<split>_inputs.npy and
// <split>_targets.npy. Of options counts: data_dir, only, needs_targets, and whether the model is known, for which no
// training split has to be there. Throws Error(usage) if no folder is given; Error(configuration) if both kinds of file
// are there; Error(missing_input) if the split that is needed is not there, one .npy lacks the other, or a file cannot
// be read; Error(bad_data) for what is no such array.
OpenedArrays open_arrays(const ProblemOptions& options);

}  // namespace lockstep

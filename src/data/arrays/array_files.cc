#include "data/arrays/array_files.h"

#include <fmt/format.h>

#include <filesystem>
#include <vector>

#include "base/error.h"
#include "data/arrays/describe_other_data.h"
#include "data/arrays/hdf5_array.h"
#include "data/arrays/npy_array.h"
#include "data/file_type.h"

namespace lockstep {
namespace {

namespace fs = std::filesystem;

bool there(const fs::path& path) { return type_of(path) != fs::file_type::not_found; }

// Possible paths of a split's arrays.
struct SplitPaths {
  std::string hdf5;
  std::string inputs;
  std::string targets;
};

SplitPaths paths_of(const std::string& folder, Split split) {
  const fs::path base(folder);
  return {.hdf5 = (base / fmt::format("{}.h5", name(split))).string(),
          .inputs = (base / fmt::format("{}_inputs.npy", name(split))).string(),
          .targets = (base / fmt::format("{}_targets.npy", name(split))).string()};
}

// The files that a split needs, for messages: "A.h5 (...)" and "A_inputs.npy ...".
struct SplitFiles {
  std::string hdf5;
  std::string npy;
};

SplitFiles files_of(Split split, bool needs_targets) {
  const char* const it = name(split);
  if (!needs_targets) return {fmt::format("{}.h5 (data set inputs)", it), fmt::format("{}_inputs.npy", it)};
  return {fmt::format("{}.h5 (data sets inputs and targets)", it),
          fmt::format("{0}_inputs.npy and {0}_targets.npy", it)};
}

// The required split: options.only, else the training split; a known model requires none.
std::optional<Split> needed_split(const ProblemOptions& options) {
  if (options.only || options.known) return options.only;
  return Split::train;
}

void check_folder_of_arrays(const ProblemOptions& options) {
  const std::string& folder = options.data_dir;
  const SplitFiles files = files_of(needed_split(options).value_or(Split::test), options.needs_targets);
  if (folder.empty()) {
    throw Error(ExitCode::usage,
                fmt::format("arrays needs --data_dir=FOLDER, the folder with {} or {}{}", files.hdf5, files.npy,
                            options.known ? "" : ", and where you have them the same for dev and test"),
                Scope::every_rank);
  }
  check_data_dir(folder);
}

// Advice for a missing split, for messages.
std::string cure_of_missing(const ProblemOptions& options) {
  const std::string& folder = options.data_dir;
  if (!options.only) {
    return "put one of them there, and where you have them the same for dev and test" + describe_other_data(folder);
  }
  std::vector<std::string> others;
  for (const Split split : kAllSplits) {
    const SplitPaths paths = paths_of(folder, split);
    if (split == Split::dev && options.dev_is_held_out) continue;
    if (there(paths.hdf5) || there(paths.inputs)) others.emplace_back(name(split));
  }
  if (others.empty()) return "put one of them there" + describe_other_data(folder);
  return splits_there(others);
}

SplitArrays open_hdf5(const std::string& path, bool needs_targets) {
  const auto file = std::make_shared<const Hdf5File>(path);
  SplitArrays arrays;
  arrays.inputs = open_hdf5_array(file, "inputs");
  if (!needs_targets) return arrays;
  arrays.targets = open_hdf5_array(file, "targets");
  arrays.num_classes = file->integer_attribute("targets", "num_classes");
  return arrays;
}

// Returns none if the split has no files.
std::optional<SplitArrays> open_split(const std::string& folder, Split split, bool needs_targets) {
  const auto [hdf5, inputs, targets] = paths_of(folder, split);
  const bool hdf5_there = there(hdf5);
  const bool inputs_there = there(inputs);
  const bool targets_there = needs_targets ? there(targets) : inputs_there;
  if (hdf5_there && (inputs_there || targets_there)) {
    throw Error(ExitCode::configuration,
                fmt::format("'{}' and '{}' are both there, and only one can be the {} split: move the other one away",
                            hdf5, inputs_there ? inputs : targets, name(split)));
  }
  if (hdf5_there) return open_hdf5(hdf5, needs_targets);
  if (inputs_there != targets_there) {
    throw Error(ExitCode::missing_input,
                fmt::format("'{}' is there, but not '{}': the {} split takes both", inputs_there ? inputs : targets,
                            inputs_there ? targets : inputs, name(split)));
  }
  if (!inputs_there) return std::nullopt;
  return SplitArrays{
      .inputs = open_npy(inputs), .targets = needs_targets ? open_npy(targets) : nullptr, .num_classes = {}};
}

}  // namespace

OpenedArrays open_arrays(const ProblemOptions& options) {
  check_folder_of_arrays(options);
  OpenedArrays opened;
  for (const Split split : kAllSplits) {
    if (options.only.value_or(split) == split) {
      opened[split] = open_split(options.data_dir, split, options.needs_targets);
    }
  }
  const std::optional<Split> needed = needed_split(options);
  if (!needed || opened[*needed]) return opened;
  const SplitFiles files = files_of(*needed, options.needs_targets);
  throw Error(ExitCode::missing_input, fmt::format("arrays: --data_dir={} has neither {} nor {}; {}", options.data_dir,
                                                   files.hdf5, files.npy, cure_of_missing(options)));
}

}  // namespace lockstep

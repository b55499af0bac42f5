#include "data/array_files.h"

#include <fmt/format.h>

#include <filesystem>

#include "base/error.h"
#include "data/file_type.h"
#include "data/hdf5_array.h"
#include "data/npy_array.h"

namespace lockstep {
namespace {

namespace fs = std::filesystem;

bool there(const fs::path& path) { return type_of(path) != fs::file_type::not_found; }

SplitArrays open_hdf5(const std::string& path) {
  const auto file = std::make_shared<const Hdf5File>(path);
  SplitArrays arrays;
  arrays.inputs = open_hdf5_array(file, "inputs");
  arrays.targets = open_hdf5_array(file, "targets");
  arrays.num_classes = file->integer_attribute("targets", "num_classes");
  return arrays;
}

}  // namespace

void check_array_folder(const std::string& folder) {
  if (folder.empty()) {
    throw Error(ExitCode::usage,
                "arrays needs --data_dir=FOLDER, the folder with train.h5 (data sets inputs and targets) or "
                "train_inputs.npy and train_targets.npy, and where you have them the same for dev and test",
                Scope::every_rank);
  }
  const fs::file_type type = type_of(folder);
  if (type == fs::file_type::directory) return;
  throw Error(ExitCode::missing_input,
              fmt::format("--data_dir={}: {}", folder,
                          type == fs::file_type::not_found ? "there is no such folder; is the path right on this host?"
                                                           : "this is a file; give the folder that it lies in"));
}

std::optional<SplitArrays> open_split_arrays(const std::string& folder, Split split) {
  const fs::path base(folder);
  const std::string hdf5 = (base / fmt::format("{}.h5", name(split))).string();
  const std::string inputs = (base / fmt::format("{}_inputs.npy", name(split))).string();
  const std::string targets = (base / fmt::format("{}_targets.npy", name(split))).string();
  const bool hdf5_there = there(hdf5);
  const bool inputs_there = there(inputs);
  const bool targets_there = there(targets);
  if (hdf5_there && (inputs_there || targets_there)) {
    throw Error(ExitCode::configuration,
                fmt::format("'{}' and '{}' are both there, and only one can be the {} split: move the other one away",
                            hdf5, inputs_there ? inputs : targets, name(split)));
  }
  if (hdf5_there) return open_hdf5(hdf5);
  if (inputs_there != targets_there) {
    throw Error(ExitCode::missing_input,
                fmt::format("'{}' is there, but not '{}': the {} split takes both", inputs_there ? inputs : targets,
                            inputs_there ? targets : inputs, name(split)));
  }
  if (!inputs_there) return std::nullopt;
  return SplitArrays{.inputs = open_npy(inputs), .targets = open_npy(targets), .num_classes = {}};
}

}  // namespace lockstep

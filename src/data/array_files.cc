#include "data/array_files.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <vector>

#include "base/error.h"
#include "base/printable.h"
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

std::string similar_files(const std::string& folder) {
  constexpr std::array<std::string_view, 5> kEndings = {".npy", ".npz", ".h5", ".hdf5", ".csv"};
  std::vector<std::string> names;
  std::error_code failure;
  for (fs::directory_iterator at(folder, failure), end; !failure && at != end; at.increment(failure)) {
    const std::string name = at->path().filename().string();
    const auto ends = [&](std::string_view ending) { return name.ends_with(ending); };
    if (std::ranges::any_of(kEndings, ends)) names.push_back(in_quotes(name));
  }
  if (names.empty()) return {};
  std::ranges::sort(names);
  constexpr std::size_t kShown = 5;
  const bool more = names.size() > kShown;
  if (more) names.resize(kShown);
  return fmt::format("; what is there: {}{}", fmt::join(names, ", "), more ? ", ..." : "");
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

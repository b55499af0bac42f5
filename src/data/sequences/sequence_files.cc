#include "data/sequences/sequence_files.h"

#include <fmt/format.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "data/arrays/hdf5_array.h"
#include "data/arrays/npy_array.h"
#include "data/file_type.h"

namespace lockstep {
namespace {

namespace fs = std::filesystem;

constexpr const char* kTargetsSide = "targets";
constexpr const char* kInputsSide = "inputs";

std::string lengths_of(const std::string& symbols) { return symbols + "_lengths"; }

bool exists(const std::string& path) { return type_of(path) != fs::file_type::not_found; }

std::string hdf5_path(const std::string& folder, Split split) {
  return (fs::path(folder) / fmt::format("{}.h5", name(split))).string();
}

std::string npy_path(const std::string& folder, Split split, const std::string& array) {
  return (fs::path(folder) / fmt::format("{}_{}.npy", name(split), array)).string();
}

// "train.h5 (data sets ...) or train_targets.npy and ..."
std::string files_for(Split split) {
  return fmt::format(
      "{0}.h5 (data sets targets and targets_lengths) or {0}_targets.npy and {0}_targets_lengths.npy (of pairs also "
      "inputs and inputs_lengths)",
      name(split));
}

// Opens both arrays of a side, or neither. there: returns whether an array of that name exists; open: opens it; called:
// its name for messages.
template <class There, class Open, class Called>
std::optional<SequenceArrays> open_side(const std::string& side, const There& there, const Open& open,
                                        const Called& called) {
  const bool symbols = there(side);
  const bool lengths = there(lengths_of(side));
  if (!symbols && !lengths) return std::nullopt;
  if (symbols != lengths) {
    throw Error(ExitCode::missing_input,
                fmt::format("{} is there, but not {}: sequences are all their symbols, one after the other, and the "
                            "number of symbols of each",
                            called(symbols ? side : lengths_of(side)), called(symbols ? lengths_of(side) : side)));
  }
  return SequenceArrays{.symbols = open(side), .lengths = open(lengths_of(side))};
}

// Combines the sides; none without targets. Throws if there are inputs only.
std::optional<SplitSequences> both_sides(std::optional<SequenceArrays> targets, std::optional<SequenceArrays> inputs,
                                         const std::string& where, const std::string& targets_name) {
  if (!targets && inputs) {
    throw Error(ExitCode::missing_input,
                fmt::format("{} has inputs, but no {}; sequences to be predicted are targets, also where there is "
                            "nothing else",
                            where, targets_name));
  }
  if (!targets) return std::nullopt;
  return SplitSequences{.targets = std::move(*targets), .inputs = std::move(inputs)};
}

std::optional<SplitSequences> open_npy_split(const std::string& folder, Split split) {
  const auto path = [&](const std::string& array) { return npy_path(folder, split, array); };
  const auto there = [&](const std::string& array) { return exists(path(array)); };
  const auto open = [&](const std::string& array) { return open_npy(path(array)); };
  const auto called = [&](const std::string& array) { return fmt::format("'{}'", path(array)); };
  return both_sides(open_side(kTargetsSide, there, open, called), open_side(kInputsSide, there, open, called),
                    fmt::format("--data_dir={}", folder), fmt::format("{}_targets.npy", name(split)));
}

SplitSequences open_hdf5_split(const std::string& path) {
  const auto file = std::make_shared<const Hdf5File>(path);
  const auto there = [&](const std::string& array) { return file->has(array); };
  const auto open = [&](const std::string& array) { return open_hdf5_array(file, array); };
  const auto called = [&](const std::string& array) { return fmt::format("'{}', data set {}", path, array); };
  auto sides = both_sides(open_side(kTargetsSide, there, open, called), open_side(kInputsSide, there, open, called),
                          fmt::format("'{}'", path), "data set targets");
  if (sides) return std::move(*sides);
  throw Error(ExitCode::bad_data, fmt::format("'{}' has no data set targets, the symbols of all sequences, nor "
                                              "targets_lengths, how many each has",
                                              path));
}

std::optional<SplitSequences> open_split_sequences(const std::string& folder, Split split) {
  const std::string hdf5 = hdf5_path(folder, split);
  const std::string npy = npy_path(folder, split, kTargetsSide);
  if (!exists(hdf5)) return open_npy_split(folder, split);
  if (exists(npy)) {
    throw Error(ExitCode::configuration,
                fmt::format("'{}' and '{}' are both there, and only one can be the {} split: move the other one away",
                            hdf5, npy, name(split)));
  }
  return open_hdf5_split(hdf5);
}

[[noreturn]] void lacks_sequences(const ProblemOptions& options, Split needed) {
  std::vector<std::string> others;
  for (const Split split : kAllSplits) {
    if (split == needed || (split == Split::dev && options.dev_is_held_out)) continue;
    const std::string npy = npy_path(options.data_dir, split, kTargetsSide);
    if (exists(hdf5_path(options.data_dir, split)) || exists(npy)) others.emplace_back(name(split));
  }
  throw Error(ExitCode::missing_input,
              fmt::format("sequences: --data_dir={} has no {}; {}", options.data_dir, files_for(needed),
                          options.only && !others.empty() ? splits_there(others) : "put one of them there"));
}

}  // namespace

PerSplit<std::optional<SplitSequences>> open_sequences(const ProblemOptions& options) {
  // Training requires the training split; a known model requires none.
  const std::optional<Split> needed = options.only || options.known ? options.only : Split::train;
  if (options.data_dir.empty()) {
    throw Error(
        ExitCode::usage,
        fmt::format("sequences needs --data_dir=FOLDER, the folder with {}{}", files_for(needed.value_or(Split::test)),
                    options.known ? "" : ", and where you have them the same for dev and test"),
        Scope::every_rank);
  }
  check_data_dir(options.data_dir);
  PerSplit<std::optional<SplitSequences>> opened;
  for (const Split split : kAllSplits) {
    if (options.only.value_or(split) == split) opened[split] = open_split_sequences(options.data_dir, split);
  }
  if (needed && !opened[*needed]) lacks_sequences(options, *needed);
  return opened;
}

}  // namespace lockstep

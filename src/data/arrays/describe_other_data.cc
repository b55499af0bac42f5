#include "data/arrays/describe_other_data.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <span>
#include <string_view>
#include <system_error>
#include <vector>

#include "base/printable.h"

namespace lockstep {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kTool = "python3 python/lockstep_arrays.py";  // in a clone and in what is installed
constexpr std::array<std::string_view, 5> kArrayEndings = {".npy", ".npz", ".h5", ".hdf5", ".csv"};
constexpr std::array<std::string_view, 5> kImageEndings = {".png", ".jpg", ".jpeg", ".JPG", ".JPEG"};
constexpr int kMostEntries = 1000;  // searched for images

bool ends_with_any(std::string_view name, std::span<const std::string_view> endings) {
  return std::ranges::any_of(endings, [&](std::string_view ending) { return name.ends_with(ending); });
}

// The names of arrays and tables in the folder, sorted.
std::vector<std::string> files_of_arrays(const std::string& folder) {
  std::vector<std::string> names;
  std::error_code failure;
  for (fs::directory_iterator at(folder, failure), end; !failure && at != end; at.increment(failure)) {
    if (std::string name = at->path().filename().string(); ends_with_any(name, kArrayEndings)) {
      names.push_back(std::move(name));
    }
  }
  std::ranges::sort(names);
  return names;
}

// True if an image lies in a folder of a class, or in one of a split's classes.
bool has_folders_of_images(const std::string& folder) {
  std::error_code failure;
  int seen = 0;
  for (fs::recursive_directory_iterator at(folder, failure), end; !failure && at != end && seen < kMostEntries;
       at.increment(failure), ++seen) {
    if (at.depth() >= 1 && ends_with_any(at->path().native(), kImageEndings)) return true;
    if (at.depth() == 2) at.disable_recursion_pending();
  }
  return false;
}

// "'train.npz', 'x_train.npy'"
std::string shown(const std::vector<std::string>& names) {
  constexpr std::size_t kShown = 5;
  std::vector<std::string> quoted;
  for (const std::string& name : names) {
    if (quoted.size() == kShown) return fmt::format("{}, ...", fmt::join(quoted, ", "));
    quoted.push_back(in_quotes(name));
  }
  return fmt::format("{}", fmt::join(quoted, ", "));
}

}  // namespace

std::string describe_other_data(const std::string& folder) {
  const std::vector<std::string> names = files_of_arrays(folder);
  const auto file = [&](std::string_view ending) {  // the first such file, with its folder
    const auto found = std::ranges::find_if(names, [&](const std::string& name) { return name.ends_with(ending); });
    return found == names.end() ? "" : in_quotes((fs::path(folder) / *found).string());
  };
  if (names.empty() && has_folders_of_images(folder)) {
    return fmt::format(
        "; what is there: folders of images; make arrays of them: {} images {} --size=32x32 --output=DATA", kTool,
        in_quotes(folder));
  }
  if (names.empty()) return {};
  std::string there = "; what is there: " + shown(names);
  if (const std::string csv = file(".csv"); !csv.empty()) {
    return fmt::format("{}; make arrays of it: {} csv {} --target=COLUMN --output=DATA", there, kTool, csv);
  }
  if (const std::string npz = file(".npz"); !npz.empty()) {
    return fmt::format("{}; save each array of it by its own: numpy.save('train_inputs.npy', numpy.load({})['NAME'])",
                       there, npz);
  }
  return there;
}

}  // namespace lockstep

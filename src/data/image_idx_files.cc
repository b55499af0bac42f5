#include "data/image_idx_files.h"

#include <fmt/format.h>

#include <filesystem>
#include <vector>

#include "base/error.h"
#include "data/file_type.h"

namespace lockstep {
namespace {

namespace fs = std::filesystem;

constexpr const char* kTrainImages = "train-images-idx3-ubyte";
constexpr const char* kTrainLabels = "train-labels-idx1-ubyte";
constexpr const char* kTestImages = "t10k-images-idx3-ubyte";
constexpr const char* kTestLabels = "t10k-labels-idx1-ubyte";

// The file's path; "" if it is not there. Some unpackers make a folder of the file's name: then its packed
// neighbour is meant, if there is one.
std::string find_file(const fs::path& folder, const std::string& name) {
  const fs::path plain = folder / name;
  const fs::path packed = folder / (name + ".gz");
  const fs::file_type plain_type = type_of(plain);
  const bool plain_there = plain_type != fs::file_type::not_found;
  if (plain_there && plain_type != fs::file_type::directory) return plain.string();
  if (type_of(packed) != fs::file_type::not_found) return packed.string();
  return plain_there ? plain.string() : "";
}

void check_folder(const std::string& data_dir, const std::string& problem, const std::string& where_to_get) {
  if (data_dir.empty()) {
    throw Error(ExitCode::usage,
                fmt::format("{} needs --data_dir=FOLDER, the folder with its files {}, {}, {} and {} (plain or .gz); "
                            "get them from {}",
                            problem, kTrainImages, kTrainLabels, kTestImages, kTestLabels, where_to_get),
                Scope::every_rank);
  }
  check_data_dir(data_dir);
}

// "; there is test: ...", if the split that was not requested exists.
std::string other_split(const ProblemOptions& options) {
  if (!options.only) return {};
  const Split other = options.only == Split::test ? Split::train : Split::test;
  if (find_file(options.data_dir, other == Split::test ? kTestImages : kTrainImages).empty()) return {};
  return "; " + splits_there({name(other)});
}

}  // namespace

ImageIdxFiles find_image_idx_files(const ProblemOptions& options, const std::string& problem,
                                   const std::string& where_to_get) {
  const std::string& data_dir = options.data_dir;
  check_folder(data_dir, problem, where_to_get);
  if (options.only == Split::dev) {
    throw Error(ExitCode::missing_input,
                fmt::format("{} has no dev split; {}", problem, splits_there({name(Split::train), name(Split::test)})),
                Scope::every_rank);
  }
  std::vector<std::string> missing;
  const auto find = [&](Split split, const char* name) {
    if (options.only.value_or(split) != split) return std::string();
    std::string path = find_file(data_dir, name);
    if (path.empty()) missing.emplace_back(name);
    return path;
  };
  const auto find_labels = [&](Split split, const char* name) {
    return options.needs_targets ? find(split, name) : std::string();
  };
  // Braced initializers are evaluated in this order.
  ImageIdxFiles files{find(Split::train, kTrainImages), find_labels(Split::train, kTrainLabels),
                      find(Split::test, kTestImages), find_labels(Split::test, kTestLabels)};
  if (missing.empty()) return files;
  throw Error(ExitCode::missing_input,
              fmt::format("{}: --data_dir={} lacks {} (plain or .gz); get {} from {} and put {} there unchanged{}",
                          problem, data_dir, fmt::join(missing, ", "), missing.size() == 1 ? "it" : "them",
                          where_to_get, missing.size() == 1 ? "it" : "them", other_split(options)));
}

}  // namespace lockstep

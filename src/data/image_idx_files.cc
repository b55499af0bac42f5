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
  const fs::file_type type = type_of(data_dir);
  if (type == fs::file_type::directory) return;
  throw Error(ExitCode::missing_input,
              fmt::format("--data_dir={}: {}", data_dir,
                          type == fs::file_type::not_found ? "there is no such folder; is the path right on this host?"
                                                           : "this is a file; give the folder that it lies in"));
}

}  // namespace

ImageIdxFiles find_image_idx_files(const std::string& data_dir, const std::string& problem,
                                   const std::string& where_to_get) {
  check_folder(data_dir, problem, where_to_get);
  std::vector<std::string> missing;
  const auto find = [&](const char* name) {
    std::string path = find_file(data_dir, name);
    if (path.empty()) missing.emplace_back(name);
    return path;
  };
  // In braces the calls are made in this order.
  ImageIdxFiles files{find(kTrainImages), find(kTrainLabels), find(kTestImages), find(kTestLabels)};
  if (missing.empty()) return files;
  throw Error(ExitCode::missing_input,
              fmt::format("{}: --data_dir={} lacks {} (plain or .gz); get {} from {} and put {} there unchanged",
                          problem, data_dir, fmt::join(missing, ", "), missing.size() == 1 ? "it" : "them",
                          where_to_get, missing.size() == 1 ? "it" : "them"));
}

}  // namespace lockstep

#include "train/output/details_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

namespace lockstep {
namespace {

constexpr std::string_view kBegin = "details-";
constexpr std::string_view kEnd = ".json";

std::filesystem::path folder_of_details(const std::string& output_dir) {
  return std::filesystem::path(output_dir) / "eval";
}

}  // namespace

std::string details_file(const std::string& output_dir, std::string_view split) {
  return (folder_of_details(output_dir) / fmt::format("{}{}{}", kBegin, split, kEnd)).string();
}

std::vector<std::string> details_files(const std::string& output_dir) {
  std::vector<std::string> files;
  std::error_code failure;
  std::filesystem::directory_iterator entry(folder_of_details(output_dir), failure);
  for (; !failure && entry != std::filesystem::directory_iterator(); entry.increment(failure)) {
    const std::string name = entry->path().filename().string();
    if (name.starts_with(kBegin) && name.ends_with(kEnd)) files.push_back(entry->path().string());
  }
  std::ranges::sort(files);
  return files;
}

}  // namespace lockstep

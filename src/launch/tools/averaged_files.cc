#include "launch/tools/averaged_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/error.h"
#include "base/printable.h"
#include "checkpoint/directory.h"
#include "checkpoint/find_checkpoint.h"
#include "checkpoint/format.h"

namespace lockstep {
namespace {

bool is_folder(const std::string& path) {
  std::error_code unknown;
  return std::filesystem::is_directory(path, unknown);
}

std::string_view trimmed_line(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\n";
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == text.npos) return "";
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

std::string path_of(const std::string& prefix, std::string_view name) {
  const bool joined = !prefix.empty() && is_folder(prefix);
  return find_checkpoint(joined ? (std::filesystem::path(prefix) / name).string() : prefix + std::string(name));
}

}  // namespace

std::vector<std::string> listed_checkpoints(const std::string& prefix, std::string_view list) {
  std::vector<std::string> files;
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t end = std::min(list.find(',', begin), list.size());
    if (const auto name = trimmed_line(list.substr(begin, end - begin)); !name.empty()) {
      files.push_back(path_of(prefix, name));
    }
    begin = end + 1;
  }
  if (files.empty()) throw Error(ExitCode::usage, fmt::format("--checkpoints={}: it names no file", escaped(list)));
  return files;
}

std::vector<std::string> last_checkpoints(const std::string& prefix, std::int64_t count) {
  const std::string parent = std::filesystem::path(prefix).parent_path().string();
  const std::string folder = is_folder(prefix) ? prefix : parent.empty() ? "." : parent;
  const CheckpointDirectory checkpoints(folder);
  const std::vector<std::int64_t> steps = checkpoints.files();
  if (steps.empty()) {
    throw Error(ExitCode::missing_input,
                fmt::format("--prefix={}: there is no checkpoint in {}, no {}<step>{}", escaped(prefix),
                            in_quotes(folder), kCheckpointPrefix, kCheckpointSuffix));
  }
  std::vector<std::string> files;
  for (auto step = steps.end() - std::min<std::int64_t>(count, std::ssize(steps)); step != steps.end(); ++step) {
    files.push_back(checkpoints.path_of(*step));
  }
  return files;
}

}  // namespace lockstep

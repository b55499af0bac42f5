#include "checkpoint/find_checkpoint.h"

#include <fmt/format.h>

#include <filesystem>

#include "base/error.h"
#include "base/printable.h"
#include "checkpoint/directory.h"
#include "checkpoint/format.h"

namespace lockstep {
namespace {

constexpr const char* kWhatToName = "the --output_dir of a run that has saved, or a file";

}  // namespace

std::string find_checkpoint(const std::string& path) {
  std::error_code unknown;
  if (!std::filesystem::is_directory(path, unknown)) {
    std::string full = path + std::string(kCheckpointSuffix);
    if (std::filesystem::exists(path, unknown)) return path;
    if (std::filesystem::exists(full, unknown)) return full;
    throw Error(ExitCode::missing_input,
                fmt::format("there is no checkpoint {}: no file and no folder has that name; name {}", in_quotes(path),
                            kWhatToName));
  }
  const CheckpointDirectory folder(path);
  const std::vector<ResumeCandidate> candidates = folder.candidates();
  if (!candidates.empty()) return folder.path_of(candidates.front().step);
  throw Error(ExitCode::missing_input, fmt::format("there is no checkpoint in {}, no {}<step>{}; name {}",
                                                   in_quotes(path), kCheckpointPrefix, kCheckpointSuffix, kWhatToName));
}

}  // namespace lockstep
